// SPDX-License-Identifier: AGPL-3.0-or-later
#include "queues/scheduler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace opispool::queues {
namespace {

class SchedulerTest : public ::testing::Test {
  protected:
    void add(std::int64_t id, JobState state, UnixMs not_before_ms = 0, const std::string& queue = "plates") {
        Job job;
        job.id = JobId{id};
        job.state = state;
        job.not_before_ms = not_before_ms;
        job.queue = queue;
        jobs_.push_back(job);
    }
    std::vector<const Job*> pointers() const {
        std::vector<const Job*> result;
        for (const Job& job : jobs_) result.push_back(&job);
        return result;
    }
    std::optional<JobId> pick(UnixMs now_ms) const { return pick_next(pointers(), queue_, now_ms); }

    Queue queue_{"plates", true, false, false};
    std::vector<Job> jobs_;
};

TEST_F(SchedulerTest, LowestIdOfTheQueueGoesFirst) {
    add(9, JobState::pending);
    add(2, JobState::pending, 0, "proofs");
    add(4, JobState::pending);
    add(3, JobState::pending_held);
    add(1, JobState::completed);
    EXPECT_EQ(pick(0), JobId{4});
}

TEST_F(SchedulerTest, NothingWithoutAPendingJob) {
    EXPECT_EQ(pick(0), std::nullopt);
    add(1, JobState::pending_held);
    add(2, JobState::aborted);
    EXPECT_EQ(pick(0), std::nullopt);
}

TEST_F(SchedulerTest, AJobWaitsForItsTimeAndLetsOthersPass) {
    add(1, JobState::pending, 1000);
    EXPECT_EQ(pick(999), std::nullopt);
    EXPECT_EQ(pick(1000), JobId{1});
    add(2, JobState::pending);
    EXPECT_EQ(pick(999), JobId{2});
    EXPECT_EQ(pick(1000), JobId{1});
}

TEST_F(SchedulerTest, OneJobOfAQueueAtATime) {
    add(1, JobState::pending);
    add(2, JobState::processing);
    EXPECT_EQ(pick(0), std::nullopt);
    EXPECT_EQ(next_wake_ms(pointers(), queue_), std::nullopt);
    jobs_.back().queue = "proofs";
    EXPECT_EQ(pick(0), JobId{1});
}

TEST_F(SchedulerTest, APausedQueueStartsNothing) {
    add(1, JobState::pending);
    queue_.paused = true;
    EXPECT_EQ(pick(0), std::nullopt);
    EXPECT_EQ(next_wake_ms(pointers(), queue_), std::nullopt);
}

TEST_F(SchedulerTest, WakesForTheEarliestTimeOfAPendingJob) {
    EXPECT_EQ(next_wake_ms(pointers(), queue_), std::nullopt);
    add(1, JobState::pending, 3000);
    add(2, JobState::pending, 2000);
    add(3, JobState::pending_held, 1000);
    add(4, JobState::pending, 500, "proofs");
    EXPECT_EQ(next_wake_ms(pointers(), queue_), 2000);
}

TEST_F(SchedulerTest, PrintingOrder) {
    add(1, JobState::completed);
    add(2, JobState::pending_held);
    add(4, JobState::pending);
    add(3, JobState::pending);
    add(5, JobState::processing);
    std::sort(jobs_.begin(), jobs_.end(), prints_before);
    std::vector<std::int64_t> order;
    for (const Job& job : jobs_) order.push_back(job.id.value);
    EXPECT_EQ(order, (std::vector<std::int64_t>{5, 3, 4, 2, 1}));
}

}  // namespace
}  // namespace opispool::queues
