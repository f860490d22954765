// SPDX-License-Identifier: AGPL-3.0-or-later
// Jobs that are begun before their document is there, and queues that people pause.
#include <gmock/gmock.h>

#include "queues/queue_service.h"
#include "tests/queues/service_fixture.h"

namespace opispool::queues {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class QueueIntakeTest : public ServiceTest {
  protected:
    JobId begin(const std::string& queue = "plates") {
        NewJob job = new_job(queue);
        job.spool_file.clear();
        job.size_bytes = 0;
        return submit(job);
    }
    Answer attach(JobId id, const std::string& hold_reason = "") {
        return now([&](Done d) { service_.attach_document(id, "000009.ps", 77, hold_reason, std::move(d)); });
    }
    Answer pause(bool paused, const std::string& queue = "plates") {
        return now([&](Done d) { service_.set_paused(queue, paused, "anna", std::move(d)); });
    }
};

TEST_F(QueueIntakeTest, AJobWaitsForItsDocumentAndThenForItsTurn) {
    const JobId id = begin();
    EXPECT_EQ(state(id), JobState::pending_held);
    EXPECT_EQ(reason(id), "waiting for its document");
    EXPECT_EQ(service_.next_job("plates"), std::nullopt);
    const Answer released = now([&](Done d) { service_.release(id, "anna", std::move(d)); });
    EXPECT_TRUE(released.failed_with(Code::not_permitted));
    EXPECT_THAT(released.text(), HasSubstr("document"));

    EXPECT_TRUE(attach(id).ok());
    EXPECT_EQ(stored(id).state, JobState::pending);
    EXPECT_EQ(stored(id).spool_file, "000009.ps");
    EXPECT_EQ(stored(id).size_bytes, 77U);
    EXPECT_EQ(reason(id), "");
    EXPECT_EQ(service_.next_job("plates"), id);
    EXPECT_THAT(history(id), ElementsAre("submit by anna", "document by anna"));
    EXPECT_TRUE(attach(id).failed_with(Code::conflict)) << "it has one";
}

TEST_F(QueueIntakeTest, TheDocumentOfAHeldJobDoesNotPrint) {
    const JobId by_person = begin();
    EXPECT_TRUE(now([&](Done d) { service_.hold(by_person, "otto", std::move(d)); }).ok());
    EXPECT_TRUE(attach(by_person).ok());
    EXPECT_EQ(reason(by_person), "held by otto");

    const JobId by_sender = begin();
    EXPECT_TRUE(attach(by_sender, "held as asked").ok());
    EXPECT_EQ(reason(by_sender), "held as asked");

    const JobId by_queue = begin("proofs");
    EXPECT_TRUE(attach(by_queue).ok());
    EXPECT_THAT(reason(by_queue), HasSubstr("holds every new job"));
    for (const JobId id : {by_person, by_sender, by_queue}) EXPECT_EQ(stored(id).state, JobState::pending_held);
    EXPECT_TRUE(now([&](Done d) { service_.release(by_person, "otto", std::move(d)); }).ok());
    EXPECT_EQ(service_.next_job("plates"), by_person);
}

TEST_F(QueueIntakeTest, ACanceledJobTakesNoDocument) {
    const JobId id = begin();
    EXPECT_TRUE(now([&](Done d) { service_.cancel(id, "anna", std::move(d)); }).ok());
    EXPECT_FALSE(attach(id).ok());
    EXPECT_EQ(stored(id).spool_file, "");
    EXPECT_TRUE(attach(JobId{99}).failed_with(Code::not_found));
}

TEST_F(QueueIntakeTest, ARestartEndsJobsWithoutDocument) {
    Job job;
    static_cast<NewJob&>(job) = new_job();
    job.spool_file.clear();
    job.state = JobState::pending_held;
    const JobId id = store_.insert(job).value();
    ASSERT_TRUE(service_.recover(store_, [](const std::string& file) { return !file.empty(); }));
    EXPECT_EQ(stored(id).state, JobState::aborted);
    EXPECT_THAT(stored(id).reason, HasSubstr("never arrived"));
}

TEST_F(QueueIntakeTest, APausedQueueStartsNothingAndStaysSoOverARestart) {
    std::vector<std::string> told;
    service_.on_queue_change([&](const Queue& queue, const std::string& actor) {
        told.push_back(queue.name + (queue.paused ? " paused by " : " resumed by ") + actor);
    });
    const JobId id = submit();
    EXPECT_TRUE(pause(true).ok());
    EXPECT_EQ(service_.next_job("plates"), std::nullopt);

    QueueService configured(runner_, clock_, {Queue{"plates", true, false, false}});
    ASSERT_TRUE(configured.recover(store_, [](const std::string&) { return true; }));
    EXPECT_TRUE(configured.queue("plates")->paused);

    EXPECT_TRUE(pause(false).ok());
    EXPECT_EQ(service_.next_job("plates"), id);
    EXPECT_TRUE(store_.load_paused().value().empty()) << "as configured, nothing to remember";
    EXPECT_THAT(told, ElementsAre("plates paused by anna", "plates resumed by anna"));
    EXPECT_TRUE(pause(true, "nowhere").failed_with(Code::not_found));
}

TEST_F(QueueIntakeTest, APauseThatIsNotStoredIsNone) {
    store_.fail_writes(1, disk_full());
    EXPECT_TRUE(pause(true).failed_with(Code::no_space));
    EXPECT_FALSE(service_.queue("plates")->paused);
}

}  // namespace
}  // namespace opispool::queues
