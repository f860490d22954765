// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/ipp/open_jobs.h"

#include <utility>

#include "spooler/ipp/ipp_limits.h"

namespace opispool::ipp {

OpenJobs::OpenJobs(std::chrono::seconds time_out, std::function<void(queues::JobId, const OpenJob&)> expired)
    : time_out_(time_out), expired_(std::move(expired)) {}

bool OpenJobs::full() const {
    return jobs_.size() >= most_open_jobs;
}

void OpenJobs::add(boost::asio::any_io_executor loop, queues::JobId id, OpenJob job) {
    jobs_[id] = Entry{std::move(job), std::make_unique<boost::asio::steady_timer>(std::move(loop))};
    touch(id);
}

OpenJob* OpenJobs::find(queues::JobId id) {
    const auto found = jobs_.find(id);
    return found == jobs_.end() ? nullptr : &found->second.job;
}

void OpenJobs::touch(queues::JobId id) {
    const auto found = jobs_.find(id);
    if (found == jobs_.end()) return;
    found->second.timer->expires_after(time_out_);
    found->second.timer->async_wait([this, id](const boost::system::error_code& error) {
        if (!error) expire(id);
    });
}

void OpenJobs::expire(queues::JobId id) {
    const auto found = jobs_.find(id);
    if (found == jobs_.end()) return;
    // A long document is no silence; its connection has a limit of its own.
    if (found->second.job.receiving) return touch(id);
    const OpenJob job = found->second.job;
    jobs_.erase(found);
    expired_(id, job);
}

}  // namespace opispool::ipp
