// SPDX-License-Identifier: AGPL-3.0-or-later
// What a restart makes of every kind of job a crash can leave.
#include <gmock/gmock.h>

#include "queues/queue_service.h"
#include "tests/queues/service_fixture.h"

namespace opispool::queues {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class QueueRecoveryTest : public ServiceTest {
  protected:
    JobId left_behind(JobState state, bool sending_begun = false, std::uint64_t sent = 0, std::uint64_t result = 0) {
        Job job;
        static_cast<NewJob&>(job) = new_job();
        job.state = state;
        job.sending_begun = sending_begun;
        job.sent_bytes = sent;
        job.result_bytes = result;
        return store_.insert(job).value();
    }
    Result<void> recover() {
        return service_.recover(store_, [this](const std::string& file) {
            return file == missing_ ? std::nullopt : std::optional<std::uint64_t>(77);
        });
    }
    std::string missing_;
};

TEST_F(QueueRecoveryTest, WaitingJobsStayAsTheyAre) {
    const JobId pending = left_behind(JobState::pending);
    const JobId held = left_behind(JobState::pending_held);
    const JobId done = left_behind(JobState::completed);
    ASSERT_TRUE(recover());
    EXPECT_EQ(state(pending), JobState::pending);
    EXPECT_EQ(state(held), JobState::pending_held);
    EXPECT_FALSE(service_.find(done));
    EXPECT_EQ(service_.next_job("plates"), pending);
    EXPECT_TRUE(history(pending).empty());
    EXPECT_TRUE(changes_.empty());
}

TEST_F(QueueRecoveryTest, PreparedButNotSentIsPrinted) {
    const JobId id = left_behind(JobState::processing);
    const JobId stopped = left_behind(JobState::processing_stopped);
    ASSERT_TRUE(recover());
    EXPECT_EQ(stored(id).state, JobState::pending);
    EXPECT_EQ(stored(stopped).state, JobState::pending);
    EXPECT_THAT(history(id), ElementsAre("recover-idle by system"));
    EXPECT_EQ(service_.next_job("plates"), id);
}

TEST_F(QueueRecoveryTest, InterruptedWhileSendingIsHeldAndSaysSo) {
    const JobId known = left_behind(JobState::processing, true, 38, 120);
    const JobId unknown = left_behind(JobState::processing, true, 0, 120);
    const JobId nothing = left_behind(JobState::processing, true);
    ASSERT_TRUE(recover());
    EXPECT_EQ(stored(known).state, JobState::pending_held);
    EXPECT_EQ(
        stored(known).reason,
        "interrupted while sending after 38 of 120 bytes (the server stopped); the RIP may have printed part of it. "
        "Release it to send it again from the start, or cancel it.");
    EXPECT_EQ(
        stored(unknown).reason,
        "interrupted while sending (the server stopped; how many of the 120 bytes had been sent is not known); the RIP "
        "may have printed part of it. Release it to send it again from the start, or cancel it.");
    EXPECT_THAT(stored(nothing).reason, HasSubstr("how many bytes had been sent is not known"));
    EXPECT_THAT(history(known), ElementsAre("recover-sending by system"));
    EXPECT_EQ(service_.next_job("plates"), std::nullopt) << "never printed twice without a person's word";

    EXPECT_TRUE(now([&](Done d) { service_.release(known, "anna", std::move(d)); }).ok());
    EXPECT_EQ(service_.next_job("plates"), known);
}

TEST_F(QueueRecoveryTest, AnInterruptedJobThatIsReleasedAndCrashesWhilePreparingIsNotCalledInterrupted) {
    const JobId id = left_behind(JobState::processing, true, 38, 120);
    ASSERT_TRUE(recover());
    ASSERT_TRUE(now([&](Done d) { service_.release(id, "anna", std::move(d)); }).ok());
    ASSERT_TRUE(now([&](Done d) { service_.start(id, std::move(d)); }).ok());
    QueueService restarted(runner_, clock_, service_.queues());
    ASSERT_TRUE(restarted.recover(store_, [](const std::string&) { return std::optional<std::uint64_t>(1); }));
    EXPECT_EQ(restarted.find(id)->state, JobState::pending);
}

TEST_F(QueueRecoveryTest, ADocumentThatWasStillArrivingIsInDoubt) {
    std::vector<JobId> ids;
    for (const JobState state : {JobState::pending, JobState::pending_held, JobState::processing}) {
        Job job;
        static_cast<NewJob&>(job) = new_job();
        job.size_bytes = 0;
        job.state = state;
        ids.push_back(store_.insert(job).value());
    }
    ASSERT_TRUE(recover());
    for (const JobId id : ids) {
        EXPECT_EQ(stored(id).state, JobState::pending_held);
        EXPECT_THAT(stored(id).reason, HasSubstr("only the first 77 bytes of its document came (the server stopped)"));
        EXPECT_EQ(stored(id).size_bytes, 77U);
    }
    EXPECT_EQ(service_.next_job("plates"), std::nullopt);
}

TEST_F(QueueRecoveryTest, WithoutItsSpoolFileAJobIsAborted) {
    const JobId pending = left_behind(JobState::pending);
    const JobId sending = left_behind(JobState::processing, true);
    missing_ = "000001.ps";
    ASSERT_TRUE(recover());
    for (const JobId id : {pending, sending}) {
        EXPECT_EQ(stored(id).state, JobState::aborted);
        EXPECT_EQ(stored(id).reason, "its spool file 000001.ps is missing; send the job again");
    }
}

TEST_F(QueueRecoveryTest, AJobOfAQueueThatIsNoLongerConfiguredSaysWhyItWaits) {
    Job job;
    static_cast<NewJob&>(job) = new_job("old");
    const JobId id = store_.insert(job).value();
    ASSERT_TRUE(recover());
    EXPECT_EQ(state(id), JobState::pending);
    EXPECT_THAT(reason(id), HasSubstr("queue \"old\" is not in the configuration"));
    EXPECT_EQ(stored(id).reason, "");
    EXPECT_EQ(service_.list("old").size(), 1U);
    EXPECT_EQ(service_.next_job("old"), std::nullopt);
}

TEST_F(QueueRecoveryTest, AStoreThatFailsLeavesNothingHalfSettled) {
    const JobId first = left_behind(JobState::processing);
    const JobId second = left_behind(JobState::processing, true);
    store_.fail_writes_after(1, disk_full());
    const auto result = recover();
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, Code::no_space);
    EXPECT_EQ(stored(first).state, JobState::processing);
    EXPECT_EQ(stored(second).state, JobState::processing);
    EXPECT_TRUE(service_.list("").empty());
}

}  // namespace
}  // namespace opispool::queues
