// SPDX-License-Identifier: AGPL-3.0-or-later
// Threads that lend a hand to whoever computes on a thread of his own, and the memory they may fill ahead of him. One
// crew serves a whole process, so that many jobs at once neither start more threads nor take more memory than one.
//
//   thread  any
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace opispool {

class WorkCrew {
  public:
    using Work = std::function<void(WorkCrew&)>;

    // threads      0 is fine: the callers then do all of their work themselves
    // ahead_bytes  of results that are made before they are asked for, by all work together
    WorkCrew(unsigned threads, std::size_t ahead_bytes);
    // As many threads as keep all cores busy together with the caller's own, and some MiB ahead for each.
    static std::shared_ptr<WorkCrew> usual();
    ~WorkCrew();  // work that has not begun is dropped
    WorkCrew(const WorkCrew&) = delete;
    WorkCrew& operator=(const WorkCrew&) = delete;

    unsigned threads() const { return static_cast<unsigned>(threads_.size()); }
    // First come, first served. `work` doesn't throw and doesn't own the crew.
    void post(Work work);

    // False when the memory is in use; who took gives back.
    bool take_ahead(std::size_t bytes);
    void give_back(std::size_t bytes);

  private:
    void run();

    std::mutex mutex_;
    std::condition_variable posted_;
    std::deque<Work> waiting_;
    bool ending_ = false;
    std::size_t ahead_left_bytes_;
    std::vector<std::thread> threads_;
};

}  // namespace opispool
