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
    // A job whose document still arrives.
    static NewJob arriving() {
        NewJob job = new_job();
        job.size_bytes = 0;
        return job;
    }
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
        return now([&](Done d) { service_.set_switch(queue, QueueWord::paused, paused, "anna", std::move(d)); });
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
    ASSERT_TRUE(service_.recover(
        store_, [](const std::string& file) { return file.empty() ? std::nullopt : std::optional<std::uint64_t>(1); }));
    EXPECT_EQ(stored(id).state, JobState::aborted);
    EXPECT_THAT(stored(id).reason, HasSubstr("never arrived"));
}

TEST_F(QueueIntakeTest, ADocumentThatArrivesMovesNoJob) {
    const JobId id = submit(arriving());
    EXPECT_EQ(service_.next_job("plates"), id) << "it may print meanwhile";
    EXPECT_TRUE(now([&](Done d) { service_.start(id, std::move(d)); }).ok());
    EXPECT_TRUE(now([&](Done d) { service_.begin_sending(id, 0, std::move(d)); }).ok());
    EXPECT_TRUE(now([&](Done d) { service_.document_arrived(id, 500, std::move(d)); }).ok());
    EXPECT_EQ(stored(id).state, JobState::processing);
    EXPECT_EQ(stored(id).size_bytes, 500U);
    service_.progress(id, 900);
    EXPECT_TRUE(now([&](Done d) { service_.delivered(id, std::move(d)); }).ok());
    EXPECT_EQ(stored(id).result_bytes, 900U);
    EXPECT_EQ(stored(id).sent_bytes, 900U);
}

TEST_F(QueueIntakeTest, ADocumentThatBreaksOffStopsTheRunnerAndHoldsTheJob) {
    std::vector<JobId> stopped;
    service_.on_stop_request([&](JobId id) { stopped.push_back(id); });
    const JobId sending = submit(arriving()), waiting = submit(arriving());
    EXPECT_TRUE(now([&](Done d) { service_.start(sending, std::move(d)); }).ok());
    EXPECT_TRUE(now([&](Done d) { service_.begin_sending(sending, 0, std::move(d)); }).ok());
    service_.progress(sending, 38);
    for (const JobId id : {sending, waiting}) {
        EXPECT_TRUE(now([&](Done d) { service_.document_broke_off(id, 70, "no more", std::move(d)); }).ok());
        EXPECT_EQ(stored(id).state, JobState::pending_held);
        EXPECT_EQ(stored(id).size_bytes, 70U);
        EXPECT_THAT(stored(id).reason, HasSubstr("only the first 70 bytes of its document came (no more)"));
    }
    EXPECT_THAT(stored(sending).reason, HasSubstr("38 bytes were already sent"));
    EXPECT_THAT(stopped, ElementsAre(sending));
}

TEST_F(QueueIntakeTest, WhatNeverCameToItsEndIsNotPrintedAgain) {
    const JobId id = submit(arriving());
    EXPECT_TRUE(now([&](Done d) { service_.cancel(id, "anna", std::move(d)); }).ok());
    EXPECT_TRUE(now([&](Done d) { service_.redo(id, "anna", std::move(d)); }).failed_with(Code::not_permitted));
    EXPECT_TRUE(now([&](Done d) { service_.document_arrived(id, 500, std::move(d)); }).ok());
    EXPECT_TRUE(now([&](Done d) { service_.redo(id, "anna", std::move(d)); }).ok());
}

TEST_F(QueueIntakeTest, APausedQueueStartsNothingAndStaysSoOverARestart) {
    std::vector<std::string> told;
    service_.on_queue_change([&](const QueueOrder& order) {
        told.push_back(order.queue + " " + std::string(name_of(order.word)) + " " + order.value + " by " + order.actor);
    });
    const JobId id = submit();
    EXPECT_TRUE(pause(true).ok());
    EXPECT_EQ(service_.next_job("plates"), std::nullopt);

    QueueService configured(runner_, clock_, {Queue{"plates", true, false, false}});
    ASSERT_TRUE(configured.recover(store_, [](const std::string&) { return std::optional<std::uint64_t>(1); }));
    EXPECT_TRUE(configured.queue("plates")->paused);

    EXPECT_TRUE(pause(false).ok());
    EXPECT_EQ(service_.next_job("plates"), id);
    EXPECT_TRUE(store_.load_orders().value().empty()) << "as configured, nothing to remember";
    EXPECT_THAT(told, ElementsAre("plates paused yes by anna", "plates paused no by anna"));
    EXPECT_TRUE(pause(true, "nowhere").failed_with(Code::not_found));
}

TEST_F(QueueIntakeTest, APauseThatIsNotStoredIsNone) {
    store_.fail_writes(1, disk_full());
    EXPECT_TRUE(pause(true).failed_with(Code::no_space));
    EXPECT_FALSE(service_.queue("plates")->paused);
}

}  // namespace
}  // namespace opispool::queues
