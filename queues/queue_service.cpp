// SPDX-License-Identifier: AGPL-3.0-or-later
#include "queues/queue_service.h"

#include <algorithm>
#include <utility>

#include "queues/job_text.h"
#include "queues/scheduler.h"

namespace opispool::queues {
namespace {

constexpr std::size_t max_finished_in_memory = 1000;
constexpr std::size_t max_messages = 500;  // a RIP that never stops talking must not fill the store
constexpr std::size_t max_message_bytes = 4096;

const std::string& system_actor() {
    static const std::string actor = "system";
    return actor;
}

std::string new_jobs_held_reason(const NewJob& job) {
    return "queue \"" + job.queue + "\" holds every new job; release it to print it";
}

bool is_stop_request(const Job& before, Event event) {
    return before.state == JobState::processing && (event == Event::cancel || event == Event::stop_and_hold);
}

// At most max_message_bytes, never ending inside a UTF-8 sequence.
std::string shortened(std::string message) {
    if (message.size() <= max_message_bytes) return message;
    std::size_t end = max_message_bytes;
    while (end > 0 && (static_cast<unsigned char>(message[end]) & 0xC0U) == 0x80U) --end;
    message.resize(end);
    return message + "...";
}

}  // namespace

// `broken` belongs to the store thread: set by the first change that fails, seen by those queued behind it.
struct QueueService::Chain {
    bool broken = false;
};

// One change on its way to the store and back. The store thread touches `result` and `chain->broken` only.
struct QueueService::Change {
    Job before, after;
    Event event = Event::submit;
    std::string actor, detail;
    Done done;
    std::shared_ptr<Chain> chain;
    Result<void> result;
};

QueueService::QueueService(StoreRunner& runner, const Clock& clock, std::vector<Queue> queues)
    : runner_(runner), clock_(clock), queues_(std::move(queues)), configured_(queues_) {}

QueueService::~QueueService() = default;

void QueueService::submit(NewJob new_job, DoneWithId done) {
    const auto target = accepting_queue(new_job.queue);
    if (!target) return done(fail(target.error()));

    auto job = std::make_shared<Job>();
    static_cast<NewJob&>(*job) = std::move(new_job);
    if (job->queue != target->name && job->origin.empty())
        job->origin = "sent to " + job->queue + ", which is redirected to " + target->name;
    job->queue = target->name;
    job->created_ms = job->changed_ms = job->since_ms = clock_.now_ms();
    job->cause_by = job->user.empty() ? system_actor() : job->user;
    if (job->spool_file.empty()) {
        job->state = JobState::pending_held;
        job->reason = no_document_reason();
    } else if (job->hold) {
        job->state = JobState::pending_held;
        job->reason = job->hold_reason.empty() ? "held as it came in" : job->hold_reason;
    } else if (target->hold_new) {
        job->state = JobState::pending_held;
        job->reason = new_jobs_held_reason(*job);
    }

    auto result = std::make_shared<Result<JobId>>();
    runner_.run(
        [job, result](JobStore& store) {
            const auto stored = store.in_one_commit([&]() -> Result<void> {
                *result = store.insert(*job);
                if (!*result) return fail(result->error());
                std::string detail = job->origin;
                if (!job->reason.empty()) detail += (detail.empty() ? "" : "; ") + job->reason;
                return store.record_event({**result, Event::submit, job->cause_by, job->created_ms, detail});
            });
            if (!stored) *result = fail(stored.error());
        },
        [this, job, result, done = std::move(done)] {
            if (*result) {
                job->id = **result;
                adopt(*job);
                publish(*job, Event::submit);
            }
            done(*result);
        });
}

void QueueService::attach_document(JobId id, std::string spool_file, std::uint64_t size_bytes, std::string hold_reason,
                                   Done done) {
    const auto job = find(id);
    if (!job) return done(fail(no_such_job(id)));
    if (!job->spool_file.empty()) return done(fail(refusal(*job, Event::document)));
    const Queue* target = queue(job->queue);
    if (hold_reason.empty() && job->reason != no_document_reason()) hold_reason = job->reason;  // a person held it
    if (hold_reason.empty() && target != nullptr && target->hold_new) hold_reason = new_jobs_held_reason(*job);
    const Event event = hold_reason.empty() ? Event::document : Event::hold;
    const Edit edit = [&](Job& changed) {
        changed.spool_file = std::move(spool_file);
        changed.size_bytes = size_bytes;
        changed.reason = std::move(hold_reason);
    };
    apply(id, event, job->user, edit, std::move(done));
}

void QueueService::document_arrived(JobId id, std::uint64_t size_bytes, Done done) {
    apply(
        id, Event::arrived, system_actor(), [size_bytes](Job& job) { job.size_bytes = size_bytes; }, std::move(done));
}

void QueueService::document_broke_off(JobId id, std::uint64_t size_bytes, std::string why, Done done) {
    const auto job = find(id);
    if (!job) return done(fail(no_such_job(id)));
    const Edit edit = [&](Job& changed) {
        changed.reason = broke_off_reason(changed, size_bytes, why);
        changed.size_bytes = size_bytes;
    };
    const bool running = job->state == JobState::processing;
    apply(id, running ? Event::problem : Event::hold, system_actor(), edit, std::move(done));
    if (running) request_stop(id);
}

void QueueService::adopt(Job job) {
    const JobId id = job.id;
    jobs_.try_emplace(id, Entry{std::move(job), std::make_shared<Chain>(), 0});
    keep_within_limit(id);
}

void QueueService::apply(JobId id, Event event, const std::string& actor, const Edit& edit, Done done,
                         std::string detail) {
    const auto found = jobs_.find(id);
    if (found == jobs_.end()) return done(fail(no_such_job(id)));
    Entry& entry = found->second;
    const auto next = next_state(entry.job.state, event);
    if (!next) return done(fail(refusal(entry.job, event)));

    auto change = std::make_shared<Change>();
    change->before = entry.job;
    edit(entry.job);
    entry.job.state = *next;
    entry.job.changed_ms = clock_.now_ms();
    change->event = event;
    change->actor = actor.empty() ? system_actor() : actor;
    change->detail = detail.empty() ? change_detail(change->before, entry.job, event) : std::move(detail);
    // Who pressed Hold first is why it is held.
    const bool held_again = *next == JobState::pending_held && change->before.state == JobState::pending_held;
    if (!keeps_state(event) && !held_again) {
        entry.job.cause = event;
        entry.job.cause_by = change->actor;
        entry.job.since_ms = entry.job.changed_ms;
    }
    change->after = entry.job;
    change->done = std::move(done);
    change->chain = entry.chain;
    ++entry.in_flight;
    std::erase(finished_, id);  // must stay in memory until the change is settled

    if (is_stop_request(change->before, event)) request_stop(id);
    write(std::move(change));
}

void QueueService::write(std::shared_ptr<Change> change) {
    runner_.run(
        [change](JobStore& store) {
            if (change->chain->broken) {
                change->result =
                    fail(Code::conflict, Operation::store,
                         "an earlier change of this job could not be stored; look at the job and ask again");
                return;
            }
            change->result = store.in_one_commit([&]() -> Result<void> {
                if (auto updated = store.update(change->after, change->before.state); !updated) return updated;
                return store.record_event(
                    {change->after.id, change->event, change->actor, change->after.changed_ms, change->detail});
            });
            if (!change->result) change->chain->broken = true;
        },
        [this, change] { settle(*change); });
}

void QueueService::settle(Change& change) {
    const JobId id = change.after.id;
    Entry& entry = jobs_.at(id);  // not dropped from memory while a change is in flight
    --entry.in_flight;
    const bool is_first_failure = !change.result && entry.chain == change.chain;
    if (is_first_failure) put_back(entry, change);
    keep_within_limit(id);

    if (change.result) publish(change.after, change.event);
    change.done(change.result);
    if (is_first_failure && is_stop_request(change.before, change.event)) keep_stopped(change);
}

// Messages only ever grow, so those added since the change stay.
void QueueService::put_back(Entry& entry, Change& change) {
    std::vector<std::string> messages = std::move(entry.job.messages);
    entry.job = change.before;
    entry.job.messages = std::move(messages);
    entry.chain = std::make_shared<Chain>();
}

// The runner has been told to stop although the request itself is lost; without this the job would stay `processing`
// with nobody processing it and block its queue.
void QueueService::keep_stopped(const Change& change) {
    std::string reason = stopped_unrecorded_reason(change.before, change.actor, change.result.error().text);
    hold_for_problem(change.after.id, std::move(reason), [](const Result<void>&) {});
}

void QueueService::keep_within_limit(JobId id) {
    const Entry& entry = jobs_.at(id);
    std::erase(finished_, id);
    if (entry.in_flight > 0 || !is_finished(entry.job.state)) return;
    finished_.push_back(id);
    if (finished_.size() <= max_finished_in_memory) return;
    jobs_.erase(finished_.front());
    finished_.pop_front();
}

void QueueService::publish(const JobSnapshot& job, Event what) {
    for (std::size_t i = 0; i < listeners_.size(); ++i) listeners_[i](job, what);
}

void QueueService::request_stop(JobId id) {
    for (std::size_t i = 0; i < stop_listeners_.size(); ++i) stop_listeners_[i](id);
}

void QueueService::on_change(Listener listener) {
    listeners_.push_back(std::move(listener));
}

void QueueService::on_queue_change(QueueListener listener) {
    queue_listeners_.push_back(std::move(listener));
}

void QueueService::on_stop_request(StopListener listener) {
    stop_listeners_.push_back(std::move(listener));
}

void QueueService::set_spool_file_check(std::function<bool(const std::string&)> exists) {
    spool_file_exists_ = std::move(exists);
}

// ---- the runner's reports

void QueueService::start(JobId id, Done done) {
    const Edit edit = [](Job& job) {
        job.reason.clear();
        job.not_before_ms = 0;
        job.sent_bytes = 0;
        job.sending_begun = false;
        ++job.attempts;
    };
    apply(id, Event::start, system_actor(), edit, std::move(done));
}

void QueueService::begin_sending(JobId id, std::uint64_t result_bytes, Done done) {
    const Edit edit = [result_bytes](Job& job) {
        job.result_bytes = result_bytes;
        job.sending_begun = true;
    };
    apply(id, Event::begin_sending, system_actor(), edit, std::move(done));
}

void QueueService::progress(JobId id, std::uint64_t sent_bytes) {
    const auto found = jobs_.find(id);
    // A transfer that is being stopped still reports; the reason of the stop already names its figure.
    if (found == jobs_.end() || found->second.job.state != JobState::processing) return;
    found->second.job.sent_bytes = sent_bytes;
}

void QueueService::add_message(JobId id, std::string message) {
    const auto found = jobs_.find(id);
    if (found == jobs_.end()) return;
    auto& messages = found->second.job.messages;
    if (messages.size() < max_messages)
        messages.push_back(shortened(std::move(message)));
    else if (messages.size() == max_messages)
        messages.emplace_back("further messages of this job are not kept");
}

void QueueService::retry_later(JobId id, UnixMs not_before_ms, std::string reason, Done done) {
    const auto job = find(id);
    if (job && job->state == JobState::processing && job->sent_bytes > 0)
        return done(fail(Code::not_permitted, Operation::execute,
                         "job " + std::to_string(id.value) +
                             " can't be tried again by itself: the destination already took " +
                             std::to_string(job->sent_bytes) + " bytes"));
    const Edit edit = [&](Job& changed) {
        changed.not_before_ms = not_before_ms;
        changed.reason = std::move(reason);
        changed.sending_begun = false;
    };
    apply(id, Event::retry_later, system_actor(), edit, std::move(done));
}

void QueueService::hold_for_problem(JobId id, std::string reason, Done done) {
    const Edit edit = [&](Job& job) { job.reason = std::move(reason); };
    apply(id, Event::problem, system_actor(), edit, std::move(done));
}

void QueueService::delivered(JobId id, Done done) {
    const Edit edit = [](Job& job) {
        job.reason.clear();
        // How long it would become was not known if it was sent while it arrived.
        if (job.result_bytes == 0) job.result_bytes = job.sent_bytes;
        job.sent_bytes = job.result_bytes;
    };
    apply(id, Event::delivered, system_actor(), edit, std::move(done));
}

void QueueService::abort(JobId id, std::string reason, Done done) {
    const Edit edit = [&](Job& job) { job.reason = std::move(reason); };
    apply(id, Event::abort, system_actor(), edit, std::move(done));
}

void QueueService::keep_ledger(JobId id, std::vector<LedgerEntry> entries, DoneWithLedger done) {
    // Tries are counted anew after redo: what was there is then of the printing before.
    const auto job = find(id);
    const bool redone = job && job->attempts <= 1;
    auto loaded = std::make_shared<Result<Ledger>>();
    runner_.run(
        [id, entries = std::move(entries), redone, loaded](JobStore& store) {
            const auto kept = store.save_ledger(id, entries, redone);
            *loaded = kept ? store.load_ledger(id) : fail(kept.error());
        },
        [loaded, done = std::move(done)] { done(std::move(*loaded)); });
}

void QueueService::forget(JobId id, std::string why, Done done) {
    apply_to_any(
        id, Event::forget, system_actor(), [](Job&) {}, std::move(done), std::move(why));
}

}  // namespace opispool::queues
