// SPDX-License-Identifier: AGPL-3.0-or-later
#include "queues/scheduler.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace opispool::queues {
namespace {

bool may_start_jobs(std::span<const Job* const> jobs, const Queue& queue) {
    if (queue.paused) return false;
    return std::none_of(jobs.begin(), jobs.end(),
                        [&](const Job* job) { return job->queue == queue.name && job->state == JobState::processing; });
}

int rank_of(JobState state) {
    switch (state) {
        case JobState::processing:
            return 0;
        case JobState::processing_stopped:
            return 1;
        case JobState::pending:
            return 2;
        case JobState::pending_held:
            return 3;
        case JobState::canceled:
        case JobState::aborted:
        case JobState::completed:
            break;
    }
    return 4;
}

}  // namespace

std::optional<JobId> pick_next(std::span<const Job* const> jobs, const Queue& queue, UnixMs now_ms) {
    if (!may_start_jobs(jobs, queue)) return std::nullopt;
    const Job* best = nullptr;
    for (const Job* job : jobs) {
        if (job->queue != queue.name || job->state != JobState::pending || job->not_before_ms > now_ms) continue;
        if (best == nullptr || prints_before(*job, *best)) best = job;
    }
    if (best == nullptr) return std::nullopt;
    return best->id;
}

std::optional<UnixMs> next_wake_ms(std::span<const Job* const> jobs, const Queue& queue) {
    if (!may_start_jobs(jobs, queue)) return std::nullopt;
    std::optional<UnixMs> earliest;
    for (const Job* job : jobs) {
        if (job->queue != queue.name || job->state != JobState::pending) continue;
        if (!earliest || job->not_before_ms < *earliest) earliest = job->not_before_ms;
    }
    return earliest;
}

bool prints_before(const Job& a, const Job& b) {
    const auto place = [](const Job& job) { return std::tuple(rank_of(job.state), job.rank, -job.priority, job.id); };
    return place(a) < place(b);
}

}  // namespace opispool::queues
