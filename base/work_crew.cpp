// SPDX-License-Identifier: AGPL-3.0-or-later
#include "base/work_crew.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace opispool {

WorkCrew::WorkCrew(unsigned threads, std::size_t ahead_bytes) : ahead_left_bytes_(ahead_bytes) {
    for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
}

WorkCrew::~WorkCrew() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    posted_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

std::shared_ptr<WorkCrew> WorkCrew::usual() {
    constexpr std::size_t core_bytes = 6U << 20U;
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    return std::make_shared<WorkCrew>(cores - 1, cores * core_bytes);
}

void WorkCrew::post(Work work) {
    {
        const std::lock_guard lock(mutex_);
        waiting_.push_back(std::move(work));
    }
    posted_.notify_one();
}

bool WorkCrew::take_ahead(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (bytes > ahead_left_bytes_) return false;
    ahead_left_bytes_ -= bytes;
    return true;
}

void WorkCrew::give_back(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    ahead_left_bytes_ += bytes;
}

void WorkCrew::run() {
    for (;;) {
        Work work;
        {
            std::unique_lock lock(mutex_);
            posted_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
            if (ending_) return;
            work = std::move(waiting_.front());
            waiting_.pop_front();
        }
        try {
            work(*this);
        } catch (const std::exception&) {
            // Out of memory before a part was begun: its caller makes it himself.
            continue;
        }
    }
}

}  // namespace opispool
