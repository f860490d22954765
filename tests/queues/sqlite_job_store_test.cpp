// SPDX-License-Identifier: AGPL-3.0-or-later
// What only the SQLite store has: files that live on, other programs that lock them, damage, schema versions.
#include "queues/sqlite_job_store.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <fstream>

#include "queues/queue_service.h"
#include "queues/sqlite_schema.h"
#include "tests/queues/temp_folder.h"

namespace opispool::queues {
namespace {

using ::testing::HasSubstr;

Job waiting_job() {
    Job job;
    job.queue = "plates";
    job.spool_file = "000001.ps";
    job.messages = {"one"};
    return job;
}

class SqliteJobStoreTest : public ::testing::Test {
  protected:
    std::unique_ptr<SqliteJobStore> open() { return SqliteJobStore::open(path_).value(); }
    Error open_error() {
        const auto store = SqliteJobStore::open(path_, SqliteOptions{50, {}});
        if (store) throw std::logic_error("the database opened");
        return store.error();
    }
    SqliteDb raw() { return SqliteDb::open(path_, {}).value(); }

    TempFolder folder_;
    std::string path_ = folder_.file("jobs.sqlite");
};

TEST_F(SqliteJobStoreTest, SurvivesReopening) {
    auto store = open();
    Job job = waiting_job();
    job.id = store->insert(job).value();
    job.state = JobState::processing;
    ASSERT_TRUE(store->update(job, JobState::pending));
    ASSERT_TRUE(store->record_event({job.id, Event::start, "system", 3, {}}));
    store.reset();
    store = open();
    EXPECT_EQ(store->load(job.id).value()->state, JobState::processing);
    EXPECT_THAT(store->load(job.id).value()->messages, ::testing::ElementsAre("one"));
    EXPECT_EQ(store->load_events(job.id).value().size(), 1U);
}

TEST_F(SqliteJobStoreTest, NeverGivesAnIdTwice) {
    const JobId first = open()->insert(waiting_job()).value();
    ASSERT_TRUE(raw().execute("DELETE FROM job_message; DELETE FROM job"));
    EXPECT_GT(open()->insert(waiting_job()).value(), first);
}

TEST_F(SqliteJobStoreTest, FlushesEveryCommitAndChecksReferences) {
    open();
    auto db = raw();
    EXPECT_EQ(db.query_number("PRAGMA synchronous").value(), 2) << "FULL";
    EXPECT_EQ(db.query_number("PRAGMA foreign_keys").value(), 1);
    EXPECT_EQ(db.query_number("SELECT journal_mode = 'wal' FROM pragma_journal_mode").value(), 1);
    const auto orphan = open()->record_event({JobId{77}, Event::hold, "anna", 1, {}});
    ASSERT_FALSE(orphan);
    EXPECT_EQ(orphan.error().code, Code::internal);
}

TEST_F(SqliteJobStoreTest, TenThousandJobsAreLoadedAtStartUp) {
    auto store = open();
    ASSERT_TRUE(store->in_one_commit([&]() -> Result<void> {
        for (int i = 0; i < 10'000; ++i) {
            Job job = waiting_job();
            job.title = "page " + std::to_string(i);
            job.size_bytes = 77;
            if (i % 1000 == 999) job.state = JobState::processing;
            if (auto id = store->insert(job); !id) return fail(id.error());
        }
        return {};
    }));
    store.reset();
    store = open();
    InlineStoreRunner runner(*store);
    const ManualClock clock(5);
    QueueService service(runner, clock, {Queue{"plates", true, false, false}});
    ASSERT_TRUE(service.recover(*store, [](const std::string&) { return std::optional<std::uint64_t>(1); }));
    EXPECT_EQ(service.list("plates").size(), 10'000U);
    EXPECT_EQ(service.find(JobId{1000})->state, JobState::pending);
    EXPECT_EQ(store->load(JobId{10'000}).value()->state, JobState::pending);
    EXPECT_EQ(service.next_job("plates"), JobId{1});
}

TEST_F(SqliteJobStoreTest, StartUpReadsByIndex) {
    open();
    auto db = raw();
    EXPECT_EQ(
        db.query_number("SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND name = 'job_unfinished'").value(),
        1);
    auto plan = db.prepare(
                      "EXPLAIN QUERY PLAN SELECT id FROM job WHERE state IN ('pending', 'pending-held', 'processing', "
                      "'processing-stopped') ORDER BY id")
                    .value();
    SqliteUse use(plan);
    ASSERT_TRUE(use.step().value());
    use.next_number();
    use.next_number();
    use.next_number();
    EXPECT_THAT(use.next_text(), HasSubstr("USING INDEX job_unfinished"));
}

TEST_F(SqliteJobStoreTest, ANewerFileIsRefusedAndLeftAlone) {
    open();
    ASSERT_TRUE(raw().execute("PRAGMA user_version = 99"));
    const Error error = open_error();
    EXPECT_EQ(error.code, Code::unsupported);
    EXPECT_EQ(error.where, path_);
    EXPECT_THAT(error.text, HasSubstr("version 99"));
    EXPECT_EQ(raw().query_number("PRAGMA user_version").value(), 99);
}

TEST_F(SqliteJobStoreTest, AnotherProgramsDatabaseIsRefusedAndLeftAlone) {
    ASSERT_TRUE(raw().execute("CREATE TABLE bookmarks (url TEXT)"));
    EXPECT_EQ(open_error().code, Code::not_permitted);
    EXPECT_EQ(raw().query_number("SELECT count(*) FROM sqlite_schema").value(), 1);
}

TEST_F(SqliteJobStoreTest, SchemaStepsAreAppliedOnceEachAndWhollyOrNot) {
    const std::array<std::string_view, 3> steps{"CREATE TABLE a (x)", "CREATE TABLE b (x); INSERT INTO b VALUES (1)",
                                                "CREATE TABLE c (x); INSERT INTO nowhere VALUES (1)"};
    auto db = raw();
    ASSERT_TRUE(bring_schema_up_to_date(db, std::span(steps).first(1)));
    ASSERT_TRUE(bring_schema_up_to_date(db, std::span(steps).first(2)));
    ASSERT_TRUE(bring_schema_up_to_date(db, std::span(steps).first(2)));
    EXPECT_EQ(db.query_number("SELECT count(*) FROM b").value(), 1);
    EXPECT_FALSE(bring_schema_up_to_date(db, steps));
    EXPECT_EQ(db.query_number("PRAGMA user_version").value(), 2);
    EXPECT_EQ(db.query_number("SELECT count(*) FROM sqlite_schema WHERE name = 'c'").value(), 0);
}

TEST_F(SqliteJobStoreTest, AFileThatIsNoDatabaseIsNamed) {
    std::ofstream(path_) << std::string(8192, 'x');
    const Error error = open_error();
    EXPECT_EQ(error.code, Code::io);
    EXPECT_EQ(error.operation, Operation::open);
    EXPECT_EQ(error.where, path_);
    EXPECT_THAT(error.text, HasSubstr("damaged"));
}

TEST_F(SqliteJobStoreTest, DamageInsideIsFoundWhenRead) {
    {
        auto store = open();
        for (int i = 0; i < 200; ++i) ASSERT_TRUE(store->insert(waiting_job()));
    }
    // Page 1 holds the schema; everything behind it becomes noise.
    const auto size = std::filesystem::file_size(path_);
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(4096);
    file << std::string(static_cast<std::size_t>(size) - 4096, '\xA5');
    file.close();
    auto store = SqliteJobStore::open(path_);
    const auto jobs = store ? (*store)->load_unfinished() : fail(store.error());
    ASSERT_FALSE(jobs);
    EXPECT_EQ(jobs.error().code, Code::io);
    EXPECT_THAT(jobs.error().where, HasSubstr("jobs.sqlite"));
    EXPECT_THAT(jobs.error().text, HasSubstr("damaged"));
}

TEST_F(SqliteJobStoreTest, AMissingFolderIsNamed) {
    path_ = folder_.file("nowhere/jobs.sqlite");
    const Error error = open_error();
    EXPECT_EQ(error.code, Code::not_found);
    EXPECT_EQ(error.where, path_);
}

TEST_F(SqliteJobStoreTest, ALockedDatabaseSaysSoAndWorksAfterwards) {
    open();
    auto store = SqliteJobStore::open(path_, SqliteOptions{1, {}}).value();
    auto other = raw();
    ASSERT_TRUE(other.execute("BEGIN IMMEDIATE"));
    const auto locked = store->insert(waiting_job());
    ASSERT_FALSE(locked);
    EXPECT_EQ(locked.error().code, Code::timeout);
    EXPECT_THAT(locked.error().text, HasSubstr("locked by another program"));
    EXPECT_TRUE(store->load_unfinished()) << "reading goes on while somebody writes";
    ASSERT_TRUE(other.execute("ROLLBACK"));
    EXPECT_TRUE(store->insert(waiting_job()));
}

TEST_F(SqliteJobStoreTest, AReadOnlyDatabaseIsRefusedAtOnce) {
    open();
    ASSERT_EQ(::chmod(path_.c_str(), 0444), 0);
    ASSERT_EQ(::chmod(folder_.path().c_str(), 0555), 0);
    // Permissions mean nothing to root, so the test looks with another user's eyes.
    const bool is_root = ::geteuid() == 0;
    if (is_root) {
        ASSERT_EQ(::seteuid(65534), 0);
    }
    const auto store = SqliteJobStore::open(path_);
    if (is_root) {
        ASSERT_EQ(::seteuid(0), 0);
    }
    ASSERT_EQ(::chmod(folder_.path().c_str(), 0755), 0);
    ASSERT_FALSE(store);
    EXPECT_EQ(store.error().code, Code::not_permitted);
    EXPECT_THAT(store.error().text, HasSubstr("can't be written"));
}

TEST_F(SqliteJobStoreTest, SizesBeyondTheColumnAreRefused) {
    auto store = open();
    Job job = waiting_job();
    job.size_bytes = std::uint64_t{1} << 63U;
    const auto id = store->insert(job);
    ASSERT_FALSE(id);
    EXPECT_EQ(id.error().code, Code::too_large);
    EXPECT_TRUE(store->load_unfinished().value().empty());
}

}  // namespace
}  // namespace opispool::queues
