// SPDX-License-Identifier: AGPL-3.0-or-later
// Intake, operator verbs and the runner's reports, one after the other. What overlaps is in queue_overlap_test.cpp.
#include "queues/queue_service.h"

#include <gmock/gmock.h>

#include "tests/queues/service_fixture.h"

namespace opispool::queues {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using QueueServiceTest = ServiceTest;

TEST_F(QueueServiceTest, AnAcknowledgedJobIsInTheStore) {
    std::optional<Result<JobId>> answer;
    service_.submit(new_job(), [&](Result<JobId> id) { answer = std::move(id); });
    EXPECT_FALSE(answer) << "acknowledged before anything was stored";
    EXPECT_TRUE(service_.list("").empty());
    runner_.work_one();
    EXPECT_FALSE(answer);
    runner_.tell_one();
    ASSERT_TRUE(answer && answer->has_value());
    const Job job = stored(answer->value());
    EXPECT_EQ(job.state, JobState::pending);
    EXPECT_EQ(job.title, "cover");
    EXPECT_EQ(job.created_ms, 1'000'000);
    EXPECT_THAT(changes_, ElementsAre("1 submit pending"));
    EXPECT_THAT(history(JobId{1}), ElementsAre("submit by anna"));
    EXPECT_EQ(store_.commits(), 1);
    EXPECT_EQ(service_.next_job("plates"), JobId{1});
}

TEST_F(QueueServiceTest, SubmitSaysWhyNot) {
    std::optional<Result<JobId>> answer;
    const auto keep = [&](Result<JobId> id) { answer = std::move(id); };
    service_.submit(new_job("nowhere"), keep);
    ASSERT_TRUE(answer && !*answer);
    EXPECT_EQ(answer->error().code, Code::not_found);
    EXPECT_THAT(answer->error().text, HasSubstr("nowhere"));
    service_.submit(new_job("closed"), keep);
    EXPECT_EQ(answer->error().code, Code::not_permitted);

    store_.fail_writes(1, disk_full());
    service_.submit(new_job(), keep);
    runner_.run_all();
    EXPECT_EQ(answer->error().code, Code::no_space);
    EXPECT_TRUE(service_.list("").empty());
    EXPECT_TRUE(changes_.empty());
}

TEST_F(QueueServiceTest, HeldOnArrivalByTheQueueOrTheDoor) {
    const JobId by_queue = submit(new_job("proofs"));
    EXPECT_EQ(state(by_queue), JobState::pending_held);
    EXPECT_THAT(reason(by_queue), HasSubstr("holds every new job"));

    NewJob cut = new_job();
    cut.hold = true;
    cut.hold_reason = "the document may be cut off: no %%EOF";
    const JobId by_door = submit(cut);
    EXPECT_EQ(state(by_door), JobState::pending_held);
    EXPECT_EQ(reason(by_door), "the document may be cut off: no %%EOF");
    EXPECT_EQ(service_.next_job("plates"), std::nullopt);
}

TEST_F(QueueServiceTest, AJobFromStartToEnd) {
    const JobId id = submit_and_send(120'000'000, 60'000'000);
    EXPECT_EQ(service_.next_job("plates"), std::nullopt);
    service_.add_message(id, "%%[ status: busy ]%%");
    EXPECT_TRUE(stored(id).sending_begun);
    EXPECT_EQ(stored(id).sent_bytes, 0U) << "progress alone must not cost a disk flush";
    EXPECT_TRUE(now([&](Done d) { service_.delivered(id, std::move(d)); }).ok());

    const Job job = stored(id);
    EXPECT_EQ(job.state, JobState::completed);
    EXPECT_EQ(job.sent_bytes, 120'000'000U);
    EXPECT_EQ(job.attempts, 1);
    EXPECT_THAT(job.messages, ElementsAre("%%[ status: busy ]%%"));
    EXPECT_THAT(history(id),
                ElementsAre("submit by anna", "start by system", "begin-sending by system", "delivered by system"));
    EXPECT_THAT(changes_, ElementsAre("1 submit pending", "1 start processing", "1 begin-sending processing",
                                      "1 delivered completed"));
    EXPECT_EQ(state(id), JobState::completed);
    EXPECT_TRUE(service_.list("plates").empty());
}

TEST_F(QueueServiceTest, HoldAndRelease) {
    const JobId id = submit();
    EXPECT_TRUE(now([&](Done d) { service_.hold(id, "anna", std::move(d)); }).ok());
    EXPECT_EQ(stored(id).state, JobState::pending_held);
    EXPECT_EQ(stored(id).reason, "held by anna");
    EXPECT_TRUE(now([&](Done d) { service_.hold(id, "ben", std::move(d)); }).ok());
    EXPECT_EQ(stored(id).reason, "held by anna");
    EXPECT_TRUE(now([&](Done d) { service_.release(id, "anna", std::move(d)); }).ok());
    EXPECT_EQ(stored(id).state, JobState::pending);
    EXPECT_EQ(stored(id).reason, "");
    EXPECT_EQ(service_.next_job("plates"), id);
}

TEST_F(QueueServiceTest, HoldOnAJobBeingSentSaysWhatToDoInstead) {
    const JobId id = submit_and_start();
    const Answer preparing = now([&](Done d) { service_.hold(id, "anna", std::move(d)); });
    EXPECT_TRUE(preparing.failed_with(Code::not_permitted));
    EXPECT_THAT(preparing.text(), HasSubstr("being prepared; stop it with stop-and-hold"));

    ASSERT_TRUE(now([&](Done d) { service_.begin_sending(id, 120, std::move(d)); }).ok());
    service_.progress(id, 38);
    const Answer sending = now([&](Done d) { service_.hold(id, "anna", std::move(d)); });
    EXPECT_TRUE(sending.failed_with(Code::not_permitted));
    EXPECT_THAT(sending.text(),
                HasSubstr("is being sent; stop it with stop-and-hold (38 of 120 bytes were already sent; "
                          "the RIP may print part of it)"));
    EXPECT_EQ(state(id), JobState::processing);
    EXPECT_TRUE(stops_.empty());
}

TEST_F(QueueServiceTest, StopAndHoldTellsTheRunnerAndTheOperator) {
    const JobId id = submit_and_send(120'000'000, 38'000'000);
    EXPECT_TRUE(now([&](Done d) { service_.stop_and_hold(id, "anna", std::move(d)); }).ok());
    EXPECT_THAT(stops_, ElementsAre(id));
    EXPECT_EQ(stored(id).state, JobState::pending_held);
    EXPECT_EQ(stored(id).sent_bytes, 38'000'000U);
    EXPECT_EQ(stored(id).reason, "held by anna; 38.0 MB of 120 MB were already sent, the RIP may print part of it");
    EXPECT_TRUE(now([&](Done d) { service_.release(id, "anna", std::move(d)); }).ok());
    ASSERT_TRUE(now([&](Done d) { service_.start(id, std::move(d)); }).ok());
    EXPECT_EQ(stored(id).sent_bytes, 0U);
    EXPECT_FALSE(stored(id).sending_begun) << "a crash now must not speak of the attempt before";
    EXPECT_EQ(stored(id).attempts, 2);
}

TEST_F(QueueServiceTest, StopAndHoldBeforeSendingSpeaksOfNoBytes) {
    const JobId id = submit_and_start();
    EXPECT_TRUE(now([&](Done d) { service_.stop_and_hold(id, "anna", std::move(d)); }).ok());
    EXPECT_EQ(stored(id).reason, "held by anna");
    EXPECT_THAT(stops_, ElementsAre(id));
}

TEST_F(QueueServiceTest, CancelStopsTheRunnerOnlyWhereThereIsOne) {
    const JobId waiting = submit();
    EXPECT_TRUE(now([&](Done d) { service_.cancel(waiting, "anna", std::move(d)); }).ok());
    EXPECT_TRUE(stops_.empty());
    EXPECT_EQ(stored(waiting).reason, "canceled by anna");

    const JobId sent = submit_and_send(100, 50);
    EXPECT_TRUE(now([&](Done d) { service_.cancel(sent, "anna", std::move(d)); }).ok());
    EXPECT_THAT(stops_, ElementsAre(sent));
    EXPECT_EQ(stored(sent).state, JobState::canceled);
    EXPECT_THAT(stored(sent).reason, HasSubstr("the RIP may print part of it"));
    EXPECT_THAT(history(sent),
                ElementsAre("submit by anna", "start by system", "begin-sending by system", "cancel by anna"));
}

TEST_F(QueueServiceTest, ALateReportOnACanceledJobChangesNothing) {
    const JobId id = submit_and_send(100, 50);
    ASSERT_TRUE(now([&](Done d) { service_.cancel(id, "anna", std::move(d)); }).ok());
    const Job before = stored(id);
    const auto changes_before = changes_;
    EXPECT_TRUE(now([&](Done d) { service_.delivered(id, std::move(d)); }).failed_with(Code::conflict));
    EXPECT_TRUE(now([&](Done d) { service_.hold_for_problem(id, "reset", std::move(d)); }).failed_with(Code::conflict));
    EXPECT_TRUE(now([&](Done d) { service_.retry_later(id, 5, "busy", std::move(d)); }).failed_with(Code::conflict));
    service_.progress(id, 99);
    EXPECT_EQ(stored(id).reason, before.reason);
    EXPECT_EQ(service_.find(id)->sent_bytes, 50U);
    EXPECT_EQ(state(id), JobState::canceled);
    EXPECT_EQ(changes_, changes_before);
}

TEST_F(QueueServiceTest, RetryLaterWaitsForItsTime) {
    const JobId id = submit_and_start();
    EXPECT_TRUE(now([&](Done d) { service_.retry_later(id, 1'030'000, "rip:9100 refused", std::move(d)); }).ok());
    EXPECT_EQ(stored(id).state, JobState::pending);
    EXPECT_EQ(stored(id).reason, "rip:9100 refused");
    EXPECT_EQ(service_.next_job("plates"), std::nullopt);
    EXPECT_EQ(service_.next_wake_ms("plates"), 1'030'000);
    clock_.advance(30'000);
    EXPECT_EQ(service_.next_job("plates"), id);
}

TEST_F(QueueServiceTest, ReleaseOfAWaitingJobTriesNow) {
    const JobId id = submit_and_start();
    ASSERT_TRUE(now([&](Done d) { service_.retry_later(id, 9'000'000, "refused", std::move(d)); }).ok());
    EXPECT_TRUE(now([&](Done d) { service_.release(id, "anna", std::move(d)); }).ok());
    EXPECT_EQ(service_.next_job("plates"), id);
}

TEST_F(QueueServiceTest, NoRetryAfterTheDestinationTookBytes) {
    const JobId id = submit_and_send(100, 1);
    const Answer answer = now([&](Done d) { service_.retry_later(id, 5, "reset", std::move(d)); });
    EXPECT_TRUE(answer.failed_with(Code::not_permitted));
    EXPECT_EQ(state(id), JobState::processing);
    EXPECT_TRUE(now([&](Done d) { service_.hold_for_problem(id, "reset by peer", std::move(d)); }).ok());
    EXPECT_EQ(stored(id).state, JobState::pending_held);
    EXPECT_EQ(stored(id).reason, "reset by peer");
    EXPECT_EQ(stored(id).sent_bytes, 1U);
}

TEST_F(QueueServiceTest, AbortKeepsItsReason) {
    const JobId id = submit_and_start();
    EXPECT_TRUE(now([&](Done d) { service_.abort(id, "internal error", std::move(d)); }).ok());
    EXPECT_EQ(stored(id).state, JobState::aborted);
    EXPECT_EQ(stored(id).reason, "internal error");
    EXPECT_TRUE(stops_.empty());
}

TEST_F(QueueServiceTest, RedoNeedsTheSpoolFile) {
    const JobId id = submit_and_send(100, 50);
    EXPECT_TRUE(now([&](Done d) { service_.redo(id, "anna", std::move(d)); }).failed_with(Code::not_permitted));
    ASSERT_TRUE(now([&](Done d) { service_.delivered(id, std::move(d)); }).ok());

    bool kept = false;
    service_.set_spool_file_check([&](const std::string& file) { return kept && file == "000001.ps"; });
    const Answer gone = now([&](Done d) { service_.redo(id, "anna", std::move(d)); });
    EXPECT_TRUE(gone.failed_with(Code::not_permitted));
    EXPECT_THAT(gone.text(), HasSubstr("spool file is no longer kept"));
    EXPECT_EQ(state(id), JobState::completed);

    kept = true;
    EXPECT_TRUE(now([&](Done d) { service_.redo(id, "anna", std::move(d)); }).ok());
    EXPECT_EQ(stored(id).state, JobState::pending);
    EXPECT_EQ(stored(id).attempts, 0);
    EXPECT_FALSE(stored(id).sending_begun);
    EXPECT_EQ(service_.next_job("plates"), id);
}

TEST_F(QueueServiceTest, UnknownAndFinishedJobsAreNamedInTheAnswer) {
    const Answer unknown = now([&](Done d) { service_.hold(JobId{77}, "anna", std::move(d)); });
    EXPECT_TRUE(unknown.failed_with(Code::not_found));
    EXPECT_THAT(unknown.text(), HasSubstr("77"));
    EXPECT_TRUE(now([&](Done d) { service_.start(JobId{77}, std::move(d)); }).failed_with(Code::not_found));

    const JobId id = submit();
    ASSERT_TRUE(now([&](Done d) { service_.cancel(id, "anna", std::move(d)); }).ok());
    const Answer finished = now([&](Done d) { service_.cancel(id, "ben", std::move(d)); });
    EXPECT_TRUE(finished.failed_with(Code::not_permitted));
    EXPECT_THAT(finished.text(), HasSubstr("already canceled"));
}

TEST_F(QueueServiceTest, FinishedJobsLeaveMemoryButNotReach) {
    const JobId oldest = submit();
    ASSERT_TRUE(now([&](Done d) { service_.cancel(oldest, "anna", std::move(d)); }).ok());
    for (int i = 0; i < 1000; ++i) {
        const JobId id = submit();
        ASSERT_TRUE(now([&](Done d) { service_.cancel(id, "anna", std::move(d)); }).ok());
    }
    EXPECT_FALSE(service_.find(oldest));
    EXPECT_TRUE(service_.find(JobId{oldest.value + 1}));

    std::optional<Result<JobSnapshot>> found;
    service_.find_any(oldest, [&](Result<JobSnapshot> job) { found = std::move(job); });
    runner_.run_all();
    ASSERT_TRUE(found && found->has_value());
    EXPECT_EQ((*found)->state, JobState::canceled);

    EXPECT_THAT(now([&](Done d) { service_.hold(oldest, "anna", std::move(d)); }).text(),
                HasSubstr("already canceled"));
    EXPECT_TRUE(now([&](Done d) { service_.redo(oldest, "anna", std::move(d)); }).ok());
    EXPECT_EQ(state(oldest), JobState::pending);
}

TEST_F(QueueServiceTest, ListsInPrintingOrderByQueue) {
    const JobId proof = submit(new_job("proofs"));
    const JobId first = submit();
    const JobId second = submit();
    const JobId third = submit();
    ASSERT_TRUE(now([&](Done d) { service_.hold(first, "anna", std::move(d)); }).ok());
    ASSERT_TRUE(now([&](Done d) { service_.start(third, std::move(d)); }).ok());
    std::vector<JobId> all, plates;
    for (const auto& job : service_.list("")) all.push_back(job.id);
    for (const auto& job : service_.list("plates")) plates.push_back(job.id);
    EXPECT_THAT(all, ElementsAre(third, second, first, proof));
    EXPECT_THAT(plates, ElementsAre(third, second, first));

    ASSERT_TRUE(now([&](Done d) { service_.cancel(second, "anna", std::move(d)); }).ok());
    std::vector<JobId> finished;
    service_.list_finished("plates", 10, [&](Result<std::vector<JobSnapshot>> jobs) {
        for (const auto& job : jobs.value()) finished.push_back(job.id);
    });
    std::vector<Event> events;
    service_.history(second, [&](Result<std::vector<EventRecord>> records) {
        for (const auto& record : records.value()) events.push_back(record.event);
    });
    runner_.run_all();
    EXPECT_THAT(finished, ElementsAre(second));
    EXPECT_THAT(events, ElementsAre(Event::submit, Event::cancel));
}

TEST_F(QueueServiceTest, ATalkativeRipDoesNotFillTheStore) {
    const JobId id = submit_and_start();
    for (int i = 0; i < 2000; ++i) service_.add_message(id, "%%[ PrinterError: out of media ]%%");
    EXPECT_EQ(service_.find(id)->messages.size(), 501U);
    EXPECT_EQ(service_.find(id)->messages.back(), "further messages of this job are not kept");

    const JobId long_one = submit();
    std::string text(4095, 'x');
    text += "\xC3\xA4 and more";
    service_.add_message(long_one, text);
    EXPECT_EQ(service_.find(long_one)->messages.front(), std::string(4095, 'x') + "...");
}

}  // namespace
}  // namespace opispool::queues
