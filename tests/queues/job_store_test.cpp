// SPDX-License-Identifier: AGPL-3.0-or-later
// The contract of job_store.h, kept by SQLite and by the in-memory store that other tests rely on.
#include "queues/job_store.h"

#include <gmock/gmock.h>

#include <memory>

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
    ASSERT_TRUE(store_->record_event(a, Event::submit, "anna", 5));
    ASSERT_TRUE(store_->record_event(b, Event::hold, "ben", 6));
    ASSERT_TRUE(store_->record_event(a, Event::stop_and_hold, "", 7));
    const auto events = store_->load_events(a).value();
    ASSERT_EQ(events.size(), 2U);
    EXPECT_EQ(events[0].event, Event::submit);
    EXPECT_EQ(events[0].actor, "anna");
    EXPECT_EQ(events[0].at_ms, 5);
    EXPECT_EQ(events[1].event, Event::stop_and_hold);
    EXPECT_EQ(events[1].job, a);
}

TEST_P(JobStoreTest, RemembersWhatPeopleToldQueues) {
    ASSERT_TRUE(store_->save_paused("plates", true));
    ASSERT_TRUE(store_->save_paused("proofs", false));
    ASSERT_TRUE(store_->save_paused("plates", false));
    EXPECT_EQ(store_->load_paused().value(), (std::map<std::string, bool>{{"plates", false}, {"proofs", false}}));
    ASSERT_TRUE(store_->save_paused("plates", std::nullopt));
    EXPECT_EQ(store_->load_paused().value(), (std::map<std::string, bool>{{"proofs", false}}));
}

TEST_P(JobStoreTest, OneCommitIsAllOrNothing) {
    const JobId kept = insert(JobState::pending);
    const auto failed = store_->in_one_commit([&]() -> Result<void> {
        Job job = store_->load(kept).value().value();
        job.state = JobState::canceled;
        EXPECT_TRUE(store_->update(job, JobState::pending));
        EXPECT_TRUE(store_->record_event(kept, Event::cancel, "anna", 1));
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
