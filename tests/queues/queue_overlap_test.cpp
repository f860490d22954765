// SPDX-License-Identifier: AGPL-3.0-or-later
// Requests that overlap while the store is slow, and a store that fails.
#include <gmock/gmock.h>

#include "queues/queue_service.h"
#include "tests/queues/service_fixture.h"

namespace opispool::queues {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using QueueOverlapTest = ServiceTest;

TEST_F(QueueOverlapTest, TheSecondRequestSeesTheFirstOnesState) {
    const JobId id = submit();
    Answer start, hold;
    service_.start(id, start.done());
    EXPECT_EQ(state(id), JobState::processing);
    EXPECT_EQ(stored(id).state, JobState::pending);
    service_.hold(id, "anna", hold.done());
    EXPECT_TRUE(hold.failed_with(Code::not_permitted)) << "refused at once, without the store";
    EXPECT_FALSE(start.result);
    EXPECT_EQ(service_.next_job("plates"), std::nullopt) << "must not be started twice";
    runner_.run_all();
    EXPECT_TRUE(start.ok());
}

TEST_F(QueueOverlapTest, DoneOnlyAfterTheStoreAndInOrder) {
    const JobId id = submit();
    std::vector<std::string> order;
    service_.start(id, [&](Result<void>) { order.emplace_back("start"); });
    service_.begin_sending(id, 10, [&](Result<void>) { order.emplace_back("begin"); });
    service_.delivered(id, [&](Result<void>) { order.emplace_back("delivered"); });
    EXPECT_EQ(state(id), JobState::completed);
    runner_.work_one();
    runner_.work_one();
    EXPECT_TRUE(order.empty());
    EXPECT_THAT(changes_, ElementsAre("1 submit pending"));
    runner_.tell_one();
    EXPECT_THAT(order, ElementsAre("start"));
    EXPECT_EQ(changes_.back(), "1 start processing") << "listeners see the state that became durable, not a later one";
    runner_.run_all();
    EXPECT_THAT(order, ElementsAre("start", "begin", "delivered"));
    EXPECT_EQ(stored(id).state, JobState::completed);
}

TEST_F(QueueOverlapTest, AFailedWriteIsTakenBack) {
    const JobId id = submit();
    store_.fail_writes(1, disk_full());
    const Answer answer = now([&](Done d) { service_.hold(id, "anna", std::move(d)); });
    EXPECT_TRUE(answer.failed_with(Code::no_space));
    EXPECT_EQ(state(id), JobState::pending);
    EXPECT_EQ(reason(id), "");
    EXPECT_THAT(changes_, ElementsAre("1 submit pending"));
    EXPECT_THAT(history(id), ElementsAre("submit by anna"));
    EXPECT_TRUE(now([&](Done d) { service_.hold(id, "anna", std::move(d)); }).ok()) << "works again when the disk does";
}

TEST_F(QueueOverlapTest, WhatWasBuiltOnAFailedChangeFailsToo) {
    const JobId id = submit();
    store_.fail_writes(1, disk_full());
    Answer start, begin, delivered;
    service_.start(id, start.done());
    service_.begin_sending(id, 10, begin.done());
    runner_.work_one();
    runner_.work_one();
    service_.delivered(id, delivered.done());  // the store has failed already, the loop has not heard of it
    runner_.run_all();
    EXPECT_TRUE(start.failed_with(Code::no_space));
    EXPECT_TRUE(begin.failed_with(Code::conflict));
    EXPECT_TRUE(delivered.failed_with(Code::conflict));
    EXPECT_EQ(state(id), JobState::pending);
    EXPECT_EQ(stored(id).state, JobState::pending);
    EXPECT_EQ(service_.find(id)->attempts, 0);
}

TEST_F(QueueOverlapTest, ASameStateChangeThatFailedIsNotSmuggledInByTheNext) {
    const JobId id = submit_and_start();
    store_.fail_writes(1, disk_full());
    Answer begin, problem;
    service_.begin_sending(id, 10, begin.done());            // processing -> processing
    service_.hold_for_problem(id, "stall", problem.done());  // its compare-and-set alone would succeed
    runner_.run_all();
    EXPECT_TRUE(begin.failed_with(Code::no_space));
    EXPECT_TRUE(problem.failed_with(Code::conflict));
    EXPECT_EQ(stored(id).state, JobState::processing);
    EXPECT_FALSE(service_.find(id)->sending_begun);
}

TEST_F(QueueOverlapTest, ChangesAfterTheFailureWasHeardStandOnTrueGround) {
    const JobId id = submit();
    store_.fail_writes(1, disk_full());
    Answer start, lost, cancel;
    service_.start(id, start.done());
    service_.begin_sending(id, 10, lost.done());
    runner_.work_one();
    runner_.tell_one();
    EXPECT_EQ(state(id), JobState::pending);
    service_.cancel(id, "anna", cancel.done());  // while begin_sending still waits for the store
    runner_.run_all();
    EXPECT_TRUE(lost.failed_with(Code::conflict));
    EXPECT_TRUE(cancel.ok());
    EXPECT_EQ(state(id), JobState::canceled);
    EXPECT_EQ(stored(id).state, JobState::canceled);
}

TEST_F(QueueOverlapTest, MessagesSurviveATakenBackChange) {
    const JobId id = submit_and_start();
    service_.add_message(id, "before");
    store_.fail_writes(1, disk_full());
    Answer answer;
    service_.begin_sending(id, 10, answer.done());
    service_.add_message(id, "meanwhile");
    runner_.run_all();
    EXPECT_TRUE(answer.failed_with(Code::no_space));
    EXPECT_THAT(service_.find(id)->messages, ElementsAre("before", "meanwhile"));
}

TEST_F(QueueOverlapTest, CancelStopsTheTransferBeforeTheDiskIsReady) {
    const JobId id = submit_and_send(100, 50);
    Answer cancel, late;
    service_.cancel(id, "anna", cancel.done());
    EXPECT_THAT(stops_, ElementsAre(id)) << "every byte more may become a plate";
    EXPECT_EQ(state(id), JobState::canceled);
    service_.delivered(id, late.done());
    EXPECT_TRUE(late.failed_with(Code::conflict));
    EXPECT_FALSE(cancel.result);
    runner_.run_all();
    EXPECT_TRUE(cancel.ok());
}

TEST_F(QueueOverlapTest, AStopThatCouldNotBeStoredStillLeavesNoRunnerlessJob) {
    const JobId id = submit_and_send(120'000'000, 38'000'000);
    store_.fail_writes(1, disk_full());
    const Answer cancel = now([&](Done d) { service_.cancel(id, "anna", std::move(d)); });
    EXPECT_TRUE(cancel.failed_with(Code::no_space));
    EXPECT_EQ(state(id), JobState::pending_held) << "the runner was stopped; processing would block the queue for ever";
    EXPECT_EQ(stored(id).state, JobState::pending_held);
    EXPECT_THAT(reason(id), HasSubstr("stopped by anna, but the request could not be recorded (disk full); "
                                      "38.0 MB of 120 MB were already sent"));

    const JobId other = submit_and_send(100, 50);
    store_.fail_writes(2, disk_full());
    EXPECT_TRUE(now([&](Done d) { service_.cancel(other, "anna", std::move(d)); }).failed_with(Code::no_space));
    EXPECT_EQ(state(other), JobState::processing);
    EXPECT_TRUE(now([&](Done d) { service_.cancel(other, "anna", std::move(d)); }).ok());
}

TEST_F(QueueOverlapTest, AStoreChangedBehindOurBackIsAConflict) {
    const JobId id = submit();
    Job meddled = stored(id);
    meddled.state = JobState::aborted;
    ASSERT_TRUE(store_.update(meddled, JobState::pending));
    EXPECT_TRUE(now([&](Done d) { service_.hold(id, "anna", std::move(d)); }).failed_with(Code::conflict));
    EXPECT_EQ(state(id), JobState::pending);
}

TEST_F(QueueOverlapTest, AFinishedJobStaysInMemoryWhileItsRedoIsUnderWay) {
    const JobId id = submit();
    ASSERT_TRUE(now([&](Done d) { service_.cancel(id, "anna", std::move(d)); }).ok());
    for (int i = 0; i < 1000; ++i) submit();
    Answer redo;
    std::vector<Answer> cancels(1000);
    for (std::size_t i = 0; i < cancels.size(); ++i)
        service_.cancel(JobId{id.value + 1 + static_cast<std::int64_t>(i)}, "anna", cancels[i].done());
    service_.redo(id, "anna", redo.done());
    runner_.run_all();
    EXPECT_TRUE(redo.ok());
    EXPECT_EQ(state(id), JobState::pending);
}

TEST_F(QueueOverlapTest, AListenerMayAskForTheNextChange) {
    InlineStoreRunner inline_runner(store_);
    QueueService service(inline_runner, clock_, {Queue{"plates", true, false, false}});
    std::vector<Event> seen;
    service.on_change([&](const JobSnapshot& job, Event what) {
        seen.push_back(what);
        if (what == Event::submit) service.start(job.id, [](const Result<void>&) {});
        if (what == Event::start) service.delivered(job.id, [](const Result<void>&) {});
    });
    std::optional<Result<JobId>> id;
    service.submit(new_job(), [&](Result<JobId> answer) { id = std::move(answer); });
    ASSERT_TRUE(id && id->has_value());
    EXPECT_THAT(seen, ElementsAre(Event::submit, Event::start, Event::delivered));
    EXPECT_EQ(service.find(id->value())->state, JobState::completed);
}

}  // namespace
}  // namespace opispool::queues
