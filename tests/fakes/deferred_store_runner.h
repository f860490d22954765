// SPDX-License-Identifier: AGPL-3.0-or-later
// A StoreRunner that a test drives by hand: first the store's side of each request, then the loop's, each in order.
#pragma once

#include <deque>
#include <functional>
#include <utility>

#include "queues/queue_service.h"

namespace opispool::queues {

class DeferredStoreRunner final : public StoreRunner {
  public:
    explicit DeferredStoreRunner(JobStore& store) : store_(store) {}

    void run(std::function<void(JobStore&)> work, std::function<void()> done) override {
        waiting_.emplace_back(std::move(work), std::move(done));
    }

    std::size_t waiting() const { return waiting_.size(); }    // not yet at the store
    std::size_t finished() const { return finished_.size(); }  // done by the store, the loop not yet told

    // The store takes one request; nobody is told yet.
    void work_one() {
        auto [work, done] = std::move(waiting_.front());
        waiting_.pop_front();
        work(store_);
        finished_.push_back(std::move(done));
    }
    // The loop hears of one request.
    void tell_one() {
        auto done = std::move(finished_.front());
        finished_.pop_front();
        done();
    }
    void run_all() {
        while (!waiting_.empty() || !finished_.empty()) {
            while (!waiting_.empty()) work_one();
            while (!finished_.empty()) tell_one();
        }
    }

  private:
    JobStore& store_;
    std::deque<std::pair<std::function<void(JobStore&)>, std::function<void()>>> waiting_;
    std::deque<std::function<void()>> finished_;
};

}  // namespace opispool::queues
