// SPDX-License-Identifier: AGPL-3.0-or-later
// QueueService: what operators ask of jobs. The machinery of a change is in queue_service.cpp.
#include <algorithm>
#include <utility>

#include "queues/job_text.h"
#include "queues/queue_service.h"

namespace opispool::queues {
// People name jobs that finished long ago; the answer must be "already completed", not "no such job".
void QueueService::apply_to_any(JobId id, Event event, const std::string& actor, Edit edit, Done done,
                                std::string detail) {
    if (jobs_.contains(id)) return apply(id, event, actor, edit, std::move(done), std::move(detail));
    find_any(id, [this, id, event, actor, edit = std::move(edit), done = std::move(done),
                  detail = std::move(detail)](Result<JobSnapshot> job) {
        if (!job) return done(fail(job.error()));
        adopt(*std::move(job));
        apply(id, event, actor, edit, done, detail);
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
            changed.rank = 0;
        };
        adopt(*std::move(job));
        apply(id, Event::redo, actor, edit, done);
    });
}

void QueueService::schedule(JobId id, UnixMs not_before_ms, const std::string& actor, Done done) {
    if (const auto job = find(id); job && !is_finished(job->state) && job->spool_file.empty())
        return done(fail(refusal(*job, Event::release)));
    const Edit edit = [not_before_ms, actor](Job& job) {
        job.not_before_ms = not_before_ms;
        job.reason = scheduled_reason(job, actor);
    };
    apply_to_any(id, Event::schedule, actor, edit, std::move(done));
}

void QueueService::topq(JobId id, const std::string& actor, Done done) {
    const Edit edit = [this](Job& job) {
        std::int64_t lowest = job.rank;
        for (const Job* other : jobs_of(job.queue)) lowest = std::min(lowest, other->rank);
        job.rank = lowest - 1;
    };
    apply_to_any(id, Event::topq, actor, edit, std::move(done));
}

void QueueService::set_priority(JobId id, int priority, const std::string& actor, Done done) {
    if (priority < lowest_priority || priority > highest_priority)
        return done(fail(Code::bad_syntax, Operation::execute,
                         "a priority is a number from " + std::to_string(lowest_priority) + " to " +
                             std::to_string(highest_priority)));
    const Edit edit = [priority](Job& job) {
        job.priority = priority;
        job.rank = 0;
    };
    apply_to_any(id, Event::priority, actor, edit, std::move(done));
}

void QueueService::move(JobId id, const std::string& to, const std::string& actor, Done done) {
    const auto target = accepting_queue(to);
    if (!target) return done(fail(target.error()));
    const Edit edit = [name = target->name](Job& job) {
        job.queue = name;
        job.rank = 0;
        if (job.cause != Event::retry_later || job.state != JobState::pending) return;
        // It was the other queue's destination that could not be reached.
        job.not_before_ms = 0;
        job.reason.clear();
    };
    apply_to_any(id, Event::move, actor, edit, std::move(done));
}

void QueueService::set_note(JobId id, const std::string& note, const std::string& actor, Done done) {
    if (note.size() > max_note_bytes)
        return done(fail(Code::too_large, Operation::execute,
                         "a note has at most " + std::to_string(max_note_bytes) + " bytes"));
    apply_to_any(
        id, Event::note, actor, [note](Job& job) { job.note = note; }, std::move(done));
}

void QueueService::copy(JobId id, const std::string& to, std::string spool_file, const std::string& actor,
                        DoneWithId done) {
    find_any(id, [this, id, to, actor, spool_file = std::move(spool_file),
                  done = std::move(done)](Result<JobSnapshot> job) mutable {
        if (!job) return done(fail(job.error()));
        if (job->size_bytes == 0)
            return done(fail(Code::not_permitted, Operation::execute,
                             "job " + std::to_string(id.value) + " can't be copied: its document is not whole"));
        NewJob copy = *job;
        if (!to.empty()) copy.queue = to;
        copy.spool_file = std::move(spool_file);
        copy.hold = false;
        copy.hold_reason.clear();
        copy.not_before_ms = 0;
        copy.origin = "copy of job " + std::to_string(id.value) + " by " + actor;
        adopt(*std::move(job));
        submit(std::move(copy), [this, id, actor, done = std::move(done)](Result<JobId> made) {
            if (!made) return done(std::move(made));
            // The copy is there whatever becomes of the line in its original's log.
            const Done logged = [done, made](const Result<void>&) { done(made); };
            apply_to_any(
                id, Event::copy, actor, [](Job&) {}, logged, "job " + std::to_string(made->value));
        });
    });
}

void QueueService::operate(JobId id, const VerbRequest& request, Done done) {
    switch (request.verb) {
        case Event::hold:
            return hold(id, request.actor, std::move(done));
        case Event::stop_and_hold:
            return stop_and_hold(id, request.actor, std::move(done));
        case Event::release:
            return release(id, request.actor, std::move(done));
        case Event::cancel:
            return cancel(id, request.actor, std::move(done));
        case Event::redo:
            return redo(id, request.actor, std::move(done));
        case Event::schedule:
            return schedule(id, request.not_before_ms, request.actor, std::move(done));
        case Event::topq:
            return topq(id, request.actor, std::move(done));
        case Event::priority:
            return set_priority(id, request.priority, request.actor, std::move(done));
        case Event::move:
            return move(id, request.queue, request.actor, std::move(done));
        case Event::note:
            return set_note(id, request.note, request.actor, std::move(done));
        default:
            break;
    }
    done(fail(Code::internal, Operation::execute, std::string(name_of(request.verb)) + " is no verb of this door"));
}

void QueueService::operate_matching(const JobPattern& pattern, const VerbRequest& request, DoneWithOutcomes done) {
    std::vector<JobId> ids;
    for (const auto& [id, entry] : jobs_) {
        const Job& job = entry.job;
        if (is_finished(job.state) || !matches(pattern, job)) continue;
        if (keeps_state(request.verb) || next_state(job.state, request.verb) != job.state) ids.push_back(id);
    }
    operate_all(std::move(ids), request, std::move(done));
}

void QueueService::operate_all(std::vector<JobId> ids, const VerbRequest& request, DoneWithOutcomes done) {
    struct Batch {
        std::vector<VerbOutcome> outcomes;
        std::size_t open = 0;
    };
    if (ids.empty()) return done({});
    auto batch = std::make_shared<Batch>();
    for (const JobId id : ids) batch->outcomes.push_back({id, {}});
    batch->open = ids.size();
    for (std::size_t i = 0; i < ids.size(); ++i)
        operate(ids[i], request, [batch, i, done](Result<void> result) {
            batch->outcomes[i].result = std::move(result);
            if (--batch->open == 0) done(std::move(batch->outcomes));
        });
}

}  // namespace opispool::queues
