// SPDX-License-Identifier: AGPL-3.0-or-later
// QueueService: looking at jobs and queues. Nothing here changes any.
#include <algorithm>
#include <utility>

#include "queues/job_text.h"
#include "queues/queue_service.h"
#include "queues/scheduler.h"

namespace opispool::queues {

std::vector<const Job*> QueueService::jobs_of(const std::string& queue_name) const {
    std::vector<const Job*> jobs;
    for (const auto& [id, entry] : jobs_)
        if (entry.job.queue == queue_name && !is_finished(entry.job.state)) jobs.push_back(&entry.job);
    return jobs;
}

std::optional<JobId> QueueService::next_job(const std::string& queue_name) const {
    const Queue* target = queue(queue_name);
    if (target == nullptr) return std::nullopt;
    return pick_next(jobs_of(queue_name), *target, clock_.now_ms());
}

std::optional<UnixMs> QueueService::next_wake_ms(const std::string& queue_name) const {
    const Queue* target = queue(queue_name);
    if (target == nullptr) return std::nullopt;
    return queues::next_wake_ms(jobs_of(queue_name), *target);
}

std::optional<JobSnapshot> QueueService::find(JobId id) const {
    const auto found = jobs_.find(id);
    if (found == jobs_.end()) return std::nullopt;
    return found->second.job;
}

std::vector<JobSnapshot> QueueService::list(const std::string& queue_name) const {
    std::vector<JobSnapshot> jobs;
    for (const auto& [id, entry] : jobs_) {
        if (is_finished(entry.job.state)) continue;
        if (queue_name.empty() || entry.job.queue == queue_name) jobs.push_back(entry.job);
    }
    // Queues in the order of the configuration; jobs of a queue that is no longer configured come last.
    std::map<std::string, std::size_t> place;
    for (std::size_t i = 0; i < queues_.size(); ++i) place.emplace(queues_[i].name, i);
    const auto place_of = [&](const Job& job) {
        const auto found = place.find(job.queue);
        return std::pair(found == place.end() ? queues_.size() : found->second, std::string_view(job.queue));
    };
    std::sort(jobs.begin(), jobs.end(), [&](const Job& a, const Job& b) {
        const auto place_a = place_of(a);
        const auto place_b = place_of(b);
        return place_a != place_b ? place_a < place_b : prints_before(a, b);
    });
    return jobs;
}

void QueueService::find_any(JobId id, DoneWithJob done) {
    if (auto job = find(id)) return done(*std::move(job));
    auto loaded = std::make_shared<Result<std::optional<Job>>>();
    runner_.run([id, loaded](JobStore& store) { *loaded = store.load(id); },
                [this, id, loaded, done = std::move(done)] {
                    if (auto job = find(id)) return done(*std::move(job));  // memory is newer than what was read
                    if (!*loaded) return done(fail(loaded->error()));
                    if (!loaded->value()) return done(fail(no_such_job(id)));
                    done(*std::move(loaded->value()));
                });
}

void QueueService::list_finished(const std::string& queue_name, std::size_t limit, DoneWithJobs done) {
    auto loaded = std::make_shared<Result<std::vector<JobSnapshot>>>();
    runner_.run([queue_name, limit, loaded](JobStore& store) { *loaded = store.load_finished(queue_name, limit); },
                [loaded, done = std::move(done)] { done(std::move(*loaded)); });
}

void QueueService::history(JobId id, DoneWithEvents done) {
    auto loaded = std::make_shared<Result<std::vector<EventRecord>>>();
    runner_.run([id, loaded](JobStore& store) { *loaded = store.load_events(id); },
                [loaded, done = std::move(done)] { done(std::move(*loaded)); });
}

std::vector<std::optional<Waiting>> QueueService::explain_waiting(std::span<const JobSnapshot> jobs) const {
    return queues::explain_waiting(jobs, queues_, clock_.now_ms());
}

std::optional<Waiting> QueueService::why(JobId id) const {
    const auto job = find(id);
    if (!job || is_finished(job->state)) return std::nullopt;
    const auto jobs = list(job->queue);
    const auto place = std::find_if(jobs.begin(), jobs.end(), [id](const Job& each) { return each.id == id; });
    return explain_waiting(jobs)[static_cast<std::size_t>(place - jobs.begin())];
}

void QueueService::ledger(JobId id, DoneWithLedger done) {
    auto loaded = std::make_shared<Result<Ledger>>();
    runner_.run([id, loaded](JobStore& store) { *loaded = store.load_ledger(id); },
                [loaded, done = std::move(done)] { done(std::move(*loaded)); });
}

const Queue* QueueService::queue(const std::string& name) const {
    const auto found = std::find_if(queues_.begin(), queues_.end(), [&](const Queue& q) { return q.name == name; });
    return found == queues_.end() ? nullptr : &*found;
}

}  // namespace opispool::queues
