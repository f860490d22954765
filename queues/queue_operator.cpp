// SPDX-License-Identifier: AGPL-3.0-or-later
// QueueService: what operators ask for, and looking. The machinery of a change is in queue_service.cpp.
#include <algorithm>
#include <utility>

#include "queues/job_text.h"
#include "queues/queue_service.h"
#include "queues/scheduler.h"

namespace opispool::queues {
namespace {

Error no_such_job(JobId id) {
    return Error{Code::not_found, Operation::execute, "there is no job " + std::to_string(id.value), {}, std::nullopt};
}

}  // namespace

// People name jobs that finished long ago; the answer must be "already completed", not "no such job".
void QueueService::apply_to_any(JobId id, Event event, const std::string& actor, Edit edit, Done done) {
    if (jobs_.contains(id)) return apply(id, event, actor, edit, std::move(done));
    find_any(id, [this, id, event, actor, edit = std::move(edit), done = std::move(done)](Result<JobSnapshot> job) {
        if (!job) return done(fail(job.error()));
        adopt(*std::move(job));
        apply(id, event, actor, edit, done);
    });
}

void QueueService::hold(JobId id, const std::string& actor, Done done) {
    const Edit edit = [actor](Job& job) {
        // The reason a job was held for first, a missing picture say, is worth more than who pressed Hold again.
        if (job.state != JobState::pending_held || job.spool_file.empty()) job.reason = held_reason(job, actor);
    };
    apply_to_any(id, Event::hold, actor, edit, std::move(done));
}

void QueueService::stop_and_hold(JobId id, const std::string& actor, Done done) {
    const Edit edit = [actor](Job& job) {
        if (job.state != JobState::pending_held) job.reason = held_reason(job, actor);
    };
    apply_to_any(id, Event::stop_and_hold, actor, edit, std::move(done));
}

void QueueService::release(JobId id, const std::string& actor, Done done) {
    if (const auto job = find(id); job && !is_finished(job->state) && job->spool_file.empty())
        return done(fail(refusal(*job, Event::release)));
    const Edit edit = [](Job& job) {
        job.reason.clear();
        job.not_before_ms = 0;
    };
    apply_to_any(id, Event::release, actor, edit, std::move(done));
}

void QueueService::cancel(JobId id, const std::string& actor, Done done) {
    const Edit edit = [actor](Job& job) { job.reason = canceled_reason(job, actor); };
    apply_to_any(id, Event::cancel, actor, edit, std::move(done));
}

void QueueService::redo(JobId id, const std::string& actor, Done done) {
    find_any(id, [this, id, actor, done = std::move(done)](Result<JobSnapshot> job) {
        if (!job) return done(fail(job.error()));
        if (is_finished(job->state) && job->size_bytes == 0)
            return done(fail(Code::not_permitted, Operation::execute,
                             "job " + std::to_string(id.value) +
                                 " can't be printed again: its document never came to its end; send the job again"));
        if (is_finished(job->state) && spool_file_exists_ && !spool_file_exists_(job->spool_file))
            return done(fail(Code::not_permitted, Operation::execute,
                             "job " + std::to_string(id.value) +
                                 " can't be printed again: its spool file is no longer kept; send the job again"));
        const Edit edit = [](Job& changed) {
            changed.reason.clear();
            changed.not_before_ms = 0;
            changed.result_bytes = 0;
            changed.sent_bytes = 0;
            changed.sending_begun = false;
            changed.attempts = 0;
        };
        adopt(*std::move(job));
        apply(id, Event::redo, actor, edit, done);
    });
}

void QueueService::set_paused(const std::string& name, bool paused, const std::string& actor, Done done) {
    if (queue(name) == nullptr)
        return done(fail(Code::not_found, Operation::execute, "there is no queue \"" + name + "\""));
    const std::optional<bool> kept = paused == configured_paused_[name] ? std::nullopt : std::optional(paused);
    auto stored = std::make_shared<Result<void>>();
    runner_.run([name, kept, stored](JobStore& store) { *stored = store.save_paused(name, kept); },
                [this, name, paused, actor, stored, done = std::move(done)] {
                    if (!*stored) return done(*stored);
                    const auto changed =
                        std::find_if(queues_.begin(), queues_.end(), [&](const Queue& q) { return q.name == name; });
                    changed->paused = paused;
                    for (const QueueListener& listener : queue_listeners_) listener(*changed, actor);
                    done({});
                });
}

// ---- looking

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

const Queue* QueueService::queue(const std::string& name) const {
    const auto found = std::find_if(queues_.begin(), queues_.end(), [&](const Queue& q) { return q.name == name; });
    return found == queues_.end() ? nullptr : &*found;
}

}  // namespace opispool::queues
