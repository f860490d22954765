// SPDX-License-Identifier: AGPL-3.0-or-later
// The job store on a disk that is full or fails, at every single write and flush of a few jobs' life.
#include <gtest/gtest.h>

#include <set>

#include "queues/sqlite_job_store.h"
#include "tests/fault/faulty_vfs.h"
#include "tests/queues/temp_folder.h"

namespace opispool::queues {
namespace {

using fault::faulty_disk;
using fault::FaultyDisk;

Job new_job(const std::string& title) {
    Job job;
    job.queue = "plates";
    job.title = title;
    job.messages = {"one", "two"};
    return job;
}

class JobStoreDiskTest : public ::testing::Test {
  protected:
    JobStoreDiskTest() { faulty_disk() = FaultyDisk{}; }
    ~JobStoreDiskTest() override { faulty_disk() = FaultyDisk{}; }
    // A store in a file of its own, on the faulty disk; with one job in it.
    std::unique_ptr<SqliteJobStore> open_new(const std::string& name) {
        path_ = folder_.file(name);
        auto store = SqliteJobStore::open(path_, SqliteOptions{1000, fault::faulty_vfs_name}).value();
        acknowledged_ = {store->insert(new_job("before")).value()};
        return store;
    }
    // Three jobs, each inserted and then started; whatever the store confirms is remembered.
    void work(SqliteJobStore& store) {
        for (int i = 0; i < 3; ++i) {
            Job job = new_job("during");
            const auto id = store.insert(job);
            if (!id) {
                note(id.error());
                continue;
            }
            acknowledged_.insert(*id);
            job.id = *id;
            job.state = JobState::processing;
            if (const auto updated = store.update(job, JobState::pending); updated)
                started_.insert(job.id);
            else
                note(updated.error());
        }
    }
    void note(const Error& error) {
        ++failures_;
        EXPECT_TRUE(error.code == Code::no_space || error.code == Code::io) << describe(error);
        EXPECT_NE(error.where.find("jobs"), std::string::npos) << describe(error);
    }
    // Opens the file as a restart would, on a disk that works, and compares.
    void expect_confirmed_is_stored(bool nothing_else) {
        faulty_disk() = FaultyDisk{};
        auto store = SqliteJobStore::open(path_).value();
        std::set<JobId> found;
        const auto jobs = store->load_unfinished().value();
        for (const Job& job : jobs) {
            found.insert(job.id);
            EXPECT_EQ(job.messages.size(), 2U) << "half a job";
            if (started_.contains(job.id)) {
                EXPECT_EQ(job.state, JobState::processing);
            }
        }
        for (const JobId id : acknowledged_) EXPECT_TRUE(found.contains(id)) << "lost job " << id.value;
        if (nothing_else) {
            EXPECT_EQ(found, acknowledged_) << "a refused job came to life";
        }
        EXPECT_TRUE(store->insert(new_job("after")));
    }

    TempFolder folder_;
    std::string path_;
    std::set<JobId> acknowledged_, started_;
    int failures_ = 0;
};

TEST_F(JobStoreDiskTest, EveryInsertIsFlushedBeforeItReturns) {
    auto store = open_new("jobs");
    for (int i = 0; i < 5; ++i) {
        const auto before = faulty_disk().syncs;
        ASSERT_TRUE(store->insert(new_job("x")));
        EXPECT_GT(faulty_disk().syncs, before);
    }
}

TEST_F(JobStoreDiskTest, JobsOfOneCommitShareAFlush) {
    auto store = open_new("jobs");
    const auto before = faulty_disk().syncs;
    ASSERT_TRUE(store->insert(new_job("alone")));
    const auto one_job = faulty_disk().syncs - before;
    ASSERT_TRUE(store->in_one_commit([&]() -> Result<void> {
        for (int i = 0; i < 20; ++i) EXPECT_TRUE(store->insert(new_job("together")));
        return {};
    }));
    EXPECT_EQ(faulty_disk().syncs - before, 2 * one_job);
}

TEST_F(JobStoreDiskTest, FullAtAnyWriteLosesNothingConfirmedAndKeepsNothingRefused) {
    int runs_with_failure = 0;
    for (int n = 0;; ++n) {
        SCOPED_TRACE("the disk is full after " + std::to_string(n) + " writes");
        started_.clear();
        failures_ = 0;
        auto store = open_new("jobs" + std::to_string(n));
        faulty_disk().writes_until_failure = n;
        work(*store);
        if (failures_ == 0) break;  // n is more than the work needs
        ++runs_with_failure;
        faulty_disk().writes_until_failure = -1;
        const auto again = store->insert(new_job("with room again"));
        ASSERT_TRUE(again) << describe(again.error());
        acknowledged_.insert(*again);
        store.reset();
        expect_confirmed_is_stored(true);
    }
    EXPECT_GT(runs_with_failure, 10);
}

TEST_F(JobStoreDiskTest, AFailedFlushIsNeverTakenForSuccess) {
    int runs_with_failure = 0;
    for (int n = 0;; ++n) {
        SCOPED_TRACE("flush " + std::to_string(n) + " fails");
        started_.clear();
        failures_ = 0;
        auto store = open_new("jobs" + std::to_string(n));
        faulty_disk().syncs_until_failure = n;
        work(*store);
        if (failures_ == 0) break;
        ++runs_with_failure;
        store.reset();
        // A record whose flush failed may or may not be on the disk; its sender was told "no" and sends it again.
        expect_confirmed_is_stored(false);
    }
    EXPECT_GE(runs_with_failure, 6);
}

TEST_F(JobStoreDiskTest, AfterADiskErrorTheRestOfACommitIsNotStoredOnItsOwn) {
    auto store = open_new("jobs");
    std::string big(3'000'000, 'x');  // more than SQLite keeps in memory, so that it writes in the middle of the commit
    const auto result = store->in_one_commit([&]() -> Result<void> {
        faulty_disk().writes_until_failure = 0;
        for (int i = 0; i < 3; ++i) {
            Job job = new_job(big);
            static_cast<void>(store->insert(job));
        }
        faulty_disk().writes_until_failure = -1;
        static_cast<void>(store->insert(new_job("straggler")));
        return {};
    });
    EXPECT_FALSE(result);
    store.reset();
    expect_confirmed_is_stored(true);
}

}  // namespace
}  // namespace opispool::queues
