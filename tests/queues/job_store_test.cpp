// SPDX-License-Identifier: AGPL-3.0-or-later
// The contract of job_store.h, kept by SQLite and by the in-memory store that other tests rely on.
#include "queues/job_store.h"

#include <gmock/gmock.h>

#include <memory>
#include <tuple>

#include "queues/sqlite_job_store.h"
#include "tests/fakes/memory_job_store.h"
#include "tests/queues/temp_folder.h"

namespace opispool::queues {
namespace {

using ::testing::ElementsAre;

Job full_job() {
    Job job;
    job.queue = "plates";
    job.title = "K\xC3\xB6ln \"cover\"; DROP TABLE job; --";
    job.user = "anna";
    job.host = "mac7";
    job.door = "lpd";
    job.spool_file = "000001.ps";
    job.size_bytes = 5'000'000'000;
    job.hold = true;
    job.hold_reason = "cut off";
    job.state = JobState::pending_held;
    job.reason = std::string("a\0b", 3);
    job.messages = {"first", "", "third"};
    job.result_bytes = 120'000'000'000;
    job.sent_bytes = 7;
    job.sending_begun = true;
    job.attempts = 3;
    job.created_ms = 1'700'000'000'001;
    job.changed_ms = 1'700'000'000'002;
    job.not_before_ms = -1;
    job.priority = 80;
    job.rank = -3;
    job.note = "two copies";
    job.cause = Event::topq;
    job.cause_by = "ben";
    job.since_ms = 12;
    return job;
}

void expect_same(const Job& a, const Job& b) {
    EXPECT_EQ(a.id, b.id);
    EXPECT_EQ(a.queue, b.queue);
    EXPECT_EQ(a.title, b.title);
    EXPECT_EQ(a.user, b.user);
    EXPECT_EQ(a.host, b.host);
    EXPECT_EQ(a.door, b.door);
    EXPECT_EQ(a.spool_file, b.spool_file);
    EXPECT_EQ(a.size_bytes, b.size_bytes);
    EXPECT_EQ(a.hold, b.hold);
    EXPECT_EQ(a.hold_reason, b.hold_reason);
    EXPECT_EQ(a.state, b.state);
    EXPECT_EQ(a.reason, b.reason);
    EXPECT_EQ(a.messages, b.messages);
    EXPECT_EQ(a.result_bytes, b.result_bytes);
    EXPECT_EQ(a.sent_bytes, b.sent_bytes);
    EXPECT_EQ(a.sending_begun, b.sending_begun);
    EXPECT_EQ(a.attempts, b.attempts);
    EXPECT_EQ(a.created_ms, b.created_ms);
    EXPECT_EQ(a.changed_ms, b.changed_ms);
    EXPECT_EQ(a.not_before_ms, b.not_before_ms);
    EXPECT_EQ(a.priority, b.priority);
    EXPECT_EQ(a.rank, b.rank);
    EXPECT_EQ(a.note, b.note);
    EXPECT_EQ(a.cause, b.cause);
    EXPECT_EQ(a.cause_by, b.cause_by);
    EXPECT_EQ(a.since_ms, b.since_ms);
}

enum class Kind { memory, sqlite };

class JobStoreTest : public ::testing::TestWithParam<Kind> {
  protected:
    JobStoreTest() {
        if (GetParam() == Kind::memory)
            store_ = std::make_unique<MemoryJobStore>();
        else
            store_ = SqliteJobStore::open(folder_.file("jobs.sqlite")).value();
    }
    JobId insert(JobState state, const std::string& queue = "plates") {
        Job job = full_job();
        job.state = state;
        job.queue = queue;
        return store_->insert(job).value();
    }
    static std::vector<std::int64_t> ids(const std::vector<Job>& jobs) {
        std::vector<std::int64_t> result;
        for (const Job& job : jobs) result.push_back(job.id.value);
        return result;
    }

    TempFolder folder_;
    std::unique_ptr<JobStore> store_;
};

TEST_P(JobStoreTest, KeepsEveryField) {
    Job job = full_job();
    job.id = store_->insert(job).value();
    expect_same(store_->load(job.id).value().value(), job);

    Job changed = job;
    changed.state = JobState::canceled;
    changed.reason = "canceled by ben";
    changed.messages = {"only one"};
    changed.sending_begun = false;
    changed.sent_bytes = 0;
    ASSERT_TRUE(store_->update(changed, JobState::pending_held));
    expect_same(store_->load(job.id).value().value(), changed);
}

TEST_P(JobStoreTest, UpdateComparesBeforeItSets) {
    Job job = full_job();
    job.id = store_->insert(job).value();
    Job changed = job;
    changed.state = JobState::pending;
    changed.messages.clear();
    const auto conflict = store_->update(changed, JobState::processing);
    ASSERT_FALSE(conflict);
    EXPECT_EQ(conflict.error().code, Code::conflict);
    expect_same(store_->load(job.id).value().value(), job);

    changed.id = JobId{99};
    const auto unknown = store_->update(changed, JobState::pending_held);
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().code, Code::not_found);
    EXPECT_FALSE(store_->load(JobId{99}).value());
}

TEST_P(JobStoreTest, LoadsUnfinishedUpwardsAndFinishedDownwards) {
    insert(JobState::pending);
    insert(JobState::completed);
    insert(JobState::processing_stopped, "proofs");
    insert(JobState::aborted, "proofs");
    insert(JobState::canceled);
    EXPECT_THAT(ids(store_->load_unfinished().value()), ElementsAre(1, 3));
    EXPECT_THAT(ids(store_->load_finished("", 10).value()), ElementsAre(5, 4, 2));
    EXPECT_THAT(ids(store_->load_finished("", 2).value()), ElementsAre(5, 4));
    EXPECT_THAT(ids(store_->load_finished("plates", 10).value()), ElementsAre(5, 2));
    EXPECT_TRUE(store_->load_finished("nowhere", 10).value().empty());
}

TEST_P(JobStoreTest, KeepsTheHistoryOfEachJob) {
    const JobId a = insert(JobState::pending);
    const JobId b = insert(JobState::pending);
    ASSERT_TRUE(store_->record_event({a, Event::submit, "anna", 5, "detail 5"}));
    ASSERT_TRUE(store_->record_event({b, Event::hold, "ben", 6, "detail 6"}));
    ASSERT_TRUE(store_->record_event({a, Event::stop_and_hold, "", 7, "detail 7"}));
    const auto events = store_->load_events(a).value();
    ASSERT_EQ(events.size(), 2U);
    EXPECT_EQ(events[0].event, Event::submit);
    EXPECT_EQ(events[0].actor, "anna");
    EXPECT_EQ(events[0].at_ms, 5);
    EXPECT_EQ(events[1].event, Event::stop_and_hold);
    EXPECT_EQ(events[1].job, a);
    EXPECT_EQ(events[1].detail, "detail 7");
}

TEST_P(JobStoreTest, RemembersWhatPeopleOrderedQueues) {
    ASSERT_TRUE(store_->save_order({"plates", QueueWord::paused, "yes", "anna", 5}));
    ASSERT_TRUE(store_->save_order({"proofs", QueueWord::paused, "no", "anna", 6}));
    ASSERT_TRUE(store_->save_order({"plates", QueueWord::redirect, "proofs", "ben", 7}));
    ASSERT_TRUE(store_->save_order({"plates", QueueWord::paused, "no", "carl", 8}));
    const auto lines = [this] {
        std::vector<std::string> text;
        const auto orders = store_->load_orders();
        for (const QueueOrder& order : *orders)
            text.push_back(order.queue + " " + std::string(name_of(order.word)) + " " + order.value + " by " +
                           order.actor + " at " + std::to_string(order.at_ms));
        return text;
    };
    EXPECT_THAT(lines(), ElementsAre("plates paused no by carl at 8", "plates redirect proofs by ben at 7",
                                     "proofs paused no by anna at 6"));
    ASSERT_TRUE(store_->forget_order("plates", QueueWord::paused));
    EXPECT_THAT(lines(), ElementsAre("plates redirect proofs by ben at 7", "proofs paused no by anna at 6"));
}

TEST_P(JobStoreTest, KeepsTheLedgerOfThisPrintingAndTheOneBefore) {
    const JobId id = insert(JobState::pending);
    LedgerEntry entry;
    entry.page = 2;
    entry.line = 14;
    entry.asked = "K\xC3\xB6ln.tif";
    entry.search = "a: taken\nb: too old";
    entry.file = "/store/a.tif";
    entry.size_bytes = 5'000'000'000;
    entry.device = 0xFFFF'FFFF'FFFF'FFFFU;
    entry.inode = 77;
    entry.mtime_ns = -5;
    entry.width_px = 4'000'000'000;
    entry.height_px = 3;
    entry.ppi = 149.25;
    entry.colour = "CMYK";
    entry.crop = "0 0 0.5 1";
    entry.bytes = 9;
    entry.problem = "none";
    const auto ledger = [&] { return store_->load_ledger(id).value(); };
    EXPECT_TRUE(ledger().now.empty());
    ASSERT_TRUE(store_->save_ledger(id, {entry, entry}, true));
    ASSERT_EQ(ledger().now.size(), 2U);
    EXPECT_TRUE(ledger().before.empty());
    const LedgerEntry kept = ledger().now[0];
    EXPECT_EQ(std::tie(kept.page, kept.line, kept.asked, kept.search, kept.file, kept.size_bytes, kept.device),
              std::tie(entry.page, entry.line, entry.asked, entry.search, entry.file, entry.size_bytes, entry.device));
    EXPECT_EQ(
        std::tie(kept.inode, kept.mtime_ns, kept.width_px, kept.height_px, kept.ppi, kept.colour, kept.crop),
        std::tie(entry.inode, entry.mtime_ns, entry.width_px, entry.height_px, entry.ppi, entry.colour, entry.crop));
    EXPECT_EQ(std::tie(kept.bytes, kept.problem), std::tie(entry.bytes, entry.problem));
    entry.asked = "second try";
    ASSERT_TRUE(store_->save_ledger(id, {entry}, false));
    EXPECT_EQ(ledger().now.size(), 1U);
    EXPECT_TRUE(ledger().before.empty());
    entry.asked = "printed again";
    ASSERT_TRUE(store_->save_ledger(id, {entry}, true));
    ASSERT_TRUE(store_->save_ledger(id, {entry}, false));
    ASSERT_EQ(ledger().before.size(), 1U);
    EXPECT_EQ(ledger().before[0].asked, "second try");
    EXPECT_EQ(ledger().now[0].asked, "printed again");
}

TEST_P(JobStoreTest, OneCommitIsAllOrNothing) {
    const JobId kept = insert(JobState::pending);
    const auto failed = store_->in_one_commit([&]() -> Result<void> {
        Job job = store_->load(kept).value().value();
        job.state = JobState::canceled;
        EXPECT_TRUE(store_->update(job, JobState::pending));
        EXPECT_TRUE(store_->record_event({kept, Event::cancel, "anna", 1, "detail 1"}));
        insert(JobState::pending);
        return fail(Code::conflict, Operation::store, "no");
    });
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().code, Code::conflict);
    EXPECT_EQ(store_->load(kept).value()->state, JobState::pending);
    EXPECT_TRUE(store_->load_events(kept).value().empty());
    EXPECT_EQ(store_->load_unfinished().value().size(), 1U);
}

TEST_P(JobStoreTest, AnInnerFailureUndoesOnlyItself) {
    std::optional<JobId> first, third;
    ASSERT_TRUE(store_->in_one_commit([&]() -> Result<void> {
        first = insert(JobState::pending);
        const auto inner = store_->in_one_commit([&]() -> Result<void> {
            insert(JobState::pending);
            return fail(Code::conflict, Operation::store, "no");
        });
        EXPECT_FALSE(inner);
        third = insert(JobState::pending);
        return {};
    }));
    EXPECT_THAT(ids(store_->load_unfinished().value()), ElementsAre(first->value, third->value));
}

INSTANTIATE_TEST_SUITE_P(Stores, JobStoreTest, ::testing::Values(Kind::memory, Kind::sqlite),
                         [](const auto& each) { return each.param == Kind::memory ? "memory" : "sqlite"; });

}  // namespace
}  // namespace opispool::queues
