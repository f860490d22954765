// SPDX-License-Identifier: AGPL-3.0-or-later
// kill -9 in the middle of the work: whatever the store had confirmed is there afterwards.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <map>

#include "base/unique_fd.h"
#include "queues/queue_service.h"
#include "queues/sqlite_job_store.h"
#include "tests/queues/temp_folder.h"

namespace opispool::queues {
namespace {

// What the child says after a call has returned.
struct Report {
    std::int64_t id;
    JobState state;
    char padding[7];
};

// Takes jobs in and moves them on until it is killed. Never returns into the test.
[[noreturn]] void work_until_killed(const std::string& path, int out) {
    auto store = SqliteJobStore::open(path);
    if (!store) ::_exit(2);
    for (;;) {
        Job job;
        job.queue = "plates";
        job.size_bytes = 77;
        job.messages = {"one", "two"};
        const auto id = (*store)->insert(job);
        if (!id) ::_exit(3);
        job.id = *id;
        Report report{job.id.value, job.state, {}};
        if (::write(out, &report, sizeof report) != sizeof report) ::_exit(4);
        if (job.id.value % 2 != 0) continue;
        job.state = JobState::processing;
        if (!(*store)->update(job, JobState::pending)) ::_exit(5);
        report.state = job.state;
        if (::write(out, &report, sizeof report) != sizeof report) ::_exit(6);
    }
}

// Reports are smaller than PIPE_BUF and so never torn.
bool read_report(int in, Report& report) {
    return ::read(in, &report, sizeof report) == sizeof report;
}

TEST(JobStoreCrash, EveryConfirmedJobIsThereAfterKill9) {
    const TempFolder folder;
    const std::string path = folder.file("jobs.sqlite");
    ASSERT_TRUE(SqliteJobStore::open(path));
    std::map<std::int64_t, JobState> confirmed;

    for (const int reports_before_the_kill : {1, 2, 3, 10, 31, 100, 7, 1}) {
        std::array<int, 2> ends{};
        ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
        UniqueFd in(ends[0]);
        UniqueFd out(ends[1]);
        const pid_t child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) work_until_killed(path, out.get());
        out.reset();

        Report report{};
        int count = 0;
        while (count < reports_before_the_kill && read_report(in.get(), report)) {
            confirmed[report.id] = report.state;
            ++count;
        }
        ASSERT_EQ(::kill(child, SIGKILL), 0);
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        ASSERT_TRUE(WIFSIGNALED(status)) << "the child ended by itself with " << WEXITSTATUS(status);
        ASSERT_EQ(count, reports_before_the_kill);
        while (read_report(in.get(), report)) confirmed[report.id] = report.state;  // said before it died

        auto store = SqliteJobStore::open(path).value();
        for (const auto& [id, state] : confirmed) {
            const auto job = store->load(JobId{id}).value();
            ASSERT_TRUE(job) << "lost job " << id;
            EXPECT_GE(job->state, state) << "job " << id << " fell back";
            EXPECT_EQ(job->messages.size(), 2U);
        }
    }

    // A restart makes sense of all of it: nothing is processing any more, nothing is gone.
    auto store = SqliteJobStore::open(path).value();
    InlineStoreRunner runner(*store);
    const ManualClock clock(1);
    QueueService service(runner, clock, {Queue{"plates", true, false, false}});
    ASSERT_TRUE(service.recover(*store, [](const std::string&) { return std::optional<std::uint64_t>(1); }));
    for (const auto& [id, state] : confirmed) EXPECT_EQ(service.find(JobId{id})->state, JobState::pending);
}

}  // namespace
}  // namespace opispool::queues
