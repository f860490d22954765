// SPDX-License-Identifier: AGPL-3.0-or-later
// The only door to jobs: command line, HTTP, intake and the job runners all call these functions, and nothing else
// writes the job store. Lives on the loop thread; store work runs on the store thread through StoreRunner, and its
// result comes back on the loop before anybody is told. An answer given here is durable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "queues/job.h"
#include "queues/job_pattern.h"
#include "queues/job_store.h"
#include "queues/queue.h"
#include "queues/waiting.h"

namespace opispool::queues {

// Runs `work` where the store lives (one thread, in order), then `done` back on the loop, also in order.
class StoreRunner {
  public:
    virtual ~StoreRunner() = default;
    virtual void run(std::function<void(JobStore&)> work, std::function<void()> done) = 0;
};

// For tests and for start-up: everything at once, on this thread.
class InlineStoreRunner final : public StoreRunner {
  public:
    explicit InlineStoreRunner(JobStore& store) : store_(store) {}
    void run(std::function<void(JobStore&)> work, std::function<void()> done) override {
        work(store_);
        done();
    }

  private:
    JobStore& store_;
};

// A person's word to a job, with what the verb needs.
struct VerbRequest {
    Event verb = Event::hold;
    std::string actor;
    int priority = default_priority;
    std::string queue, note;
    UnixMs not_before_ms = 0;
};

struct VerbOutcome {
    JobId id;
    Result<void> result;
};

using Done = std::function<void(Result<void>)>;
using DoneWithOutcomes = std::function<void(std::vector<VerbOutcome>)>;
using DoneWithId = std::function<void(Result<JobId>)>;
using DoneWithJob = std::function<void(Result<JobSnapshot>)>;
using DoneWithJobs = std::function<void(Result<std::vector<JobSnapshot>>)>;
using DoneWithLedger = std::function<void(Result<Ledger>)>;
using DoneWithEvents = std::function<void(Result<std::vector<EventRecord>>)>;

// How a change goes: it is checked and made in memory at once, so that a second request already sees the new state;
// then it is written (compare and set); `done` is called when it is durable. If the store fails, memory is put back,
// `done` gets the error, and changes of the same job that were asked for meanwhile fail too (conflict): they were
// judged on a state that never became true.
//   thread  loop; `done` and the listeners are called there too, from inside the call with an inline runner
//   errors  every verb: not_found; not_permitted (a person asked for what can't be, text says what to do);
//           conflict (the runner reported on a job that changed meanwhile: nothing was changed); store errors
class QueueService {
  public:
    // runner, clock  outlive the service      queues  from the configuration, names unique
    // The runner must have called every `done` it owes before the service dies.
    QueueService(StoreRunner& runner, const Clock& clock, std::vector<Queue> queues);
    QueueService(const QueueService&) = delete;
    QueueService& operator=(const QueueService&) = delete;
    ~QueueService();

    // Start-up, before anything else: reads the unfinished jobs (from `store`, directly) and settles what a crash left:
    // processing without a byte sent -> pending; processing with sending begun -> held, "interrupted while sending".
    // A job whose spool file is missing (the callback answers nothing) is aborted with that reason; one whose document
    // was still arriving is held.
    // All changes are one commit; no listener is called.
    //   errors  store; nothing is loaded then
    using SpoolFileSize = std::function<std::optional<std::uint64_t>(const std::string& spool_file)>;
    Result<void> recover(JobStore& store, const SpoolFileSize& spool_file_size);

    // ---- intake.  `done` gets the id only after the record is durable: then, and not before, acknowledge.
    //   errors  not_found (queue), not_permitted (queue does not accept), store errors
    // A job without a spool file is held until attach_document(); a restart aborts it.
    void submit(NewJob job, DoneWithId done);
    // Gives such a job its document, durable in the spool.   hold_reason  not empty: it stays held, with this reason
    //   errors  conflict: it was canceled meanwhile, or has a document already; the caller removes the spool file
    void attach_document(JobId id, std::string spool_file, std::uint64_t size_bytes, std::string hold_reason,
                         Done done);
    // A job submitted with a size of 0 has a document that still arrives; it may print meanwhile. Now it is whole and
    // durable: until this is recorded, the client is told nothing and the RIP not all of it.
    void document_arrived(JobId id, std::uint64_t size_bytes, Done done);
    // The rest of it will never come. The job is held, and its runner told to stop.
    //   size_bytes  of what came      why  "the connection broke"
    void document_broke_off(JobId id, std::uint64_t size_bytes, std::string why, Done done);

    // ---- operator verbs.  errors  not_found, not_permitted (with the reason and what to do), store errors
    // Also for finished jobs that only the store still knows: they are read first.
    void hold(JobId id, const std::string& actor, Done done);
    void stop_and_hold(JobId id, const std::string& actor, Done done);  // a job being processed; the runner is told
    void release(JobId id, const std::string& actor, Done done);        // a job waiting for its next try: try now
    void cancel(JobId id, const std::string& actor, Done done);         // if it is being processed, the runner is told
    void redo(JobId id, const std::string& actor, Done done);           // a finished job whose spool file is still kept

    // ... a job that waits or is held:
    void schedule(JobId id, UnixMs not_before_ms, const std::string& actor, Done done);  // lets it print, not before
    void topq(JobId id, const std::string& actor, Done done);  // before the others, whatever their priority
    void set_priority(JobId id, int priority, const std::string& actor,
                      Done done);  // also undoes topq   errors  bad_syntax
    void move(JobId id, const std::string& queue, const std::string& actor, Done done);  // keeps its state
    // ... and any job:
    void set_note(JobId id, const std::string& note, const std::string& actor,
                  Done done);  // empty: none   errors  too_large
    // A new job with the same document.   spool_file  a name of its own for it; not_permitted or not_found: remove it
    void copy(JobId id, const std::string& queue, std::string spool_file, const std::string& actor, DoneWithId done);

    // The verb by its name, for doors that pass people's words on; not copy.
    void operate(JobId id, const VerbRequest& request, Done done);
    // The same to every unfinished job that fits and is not yet as wanted; one refusal does not keep the others from
    // it.
    void operate_matching(const JobPattern& pattern, const VerbRequest& request, DoneWithOutcomes done);

    // ---- orders to queues, durable when answered; what is being printed goes on.   errors  not_found, store
    void set_switch(const std::string& queue, QueueWord word, bool on, const std::string& actor, Done done);
    // Jobs that wait or are held on `queue`, and those that come for it, go to `to`; empty: no longer.
    //   errors  also not_permitted: a chain of redirections, `to` does not accept
    void redirect(const std::string& queue, const std::string& to, const std::string& actor, Done done);

    // Asked before redo: is the job's spool file still there? Without it every redo is allowed.
    void set_spool_file_check(std::function<bool(const std::string& spool_file)> exists);

    // ---- the runner of one queue.  A report on a job that a person stopped meanwhile gets `conflict`; that is no
    // fault. The next job that may start now, by scheduler::pick_next; nothing if the queue is busy, paused or empty.
    std::optional<JobId> next_job(const std::string& queue) const;
    // When next_job() could answer differently without any event: the earliest not_before of the queue's pending jobs.
    std::optional<UnixMs> next_wake_ms(const std::string& queue) const;
    void start(JobId id, Done done);
    void begin_sending(JobId id, std::uint64_t result_bytes, Done done);  // durable before byte one
    void progress(JobId id, std::uint64_t sent_bytes);  // memory only; kept with the next state change
    void add_message(JobId id, std::string message);    // kept with the next state change; the first 500 of a job are
    // Only while no byte was taken (not_permitted after progress() told of one): a second plate costs money.
    void retry_later(JobId id, UnixMs not_before_ms, std::string reason, Done done);
    void hold_for_problem(JobId id, std::string reason, Done done);
    void delivered(JobId id, Done done);
    void abort(JobId id, std::string reason, Done done);
    // What the job's pictures are this time.   done  gets it with that of the printing before the last redo, if any
    void keep_ledger(JobId id, std::vector<LedgerEntry> entries, DoneWithLedger done);
    // The document of a finished job is no longer kept, and why; only its record stays.
    void forget(JobId id, std::string why, Done done);

    // ---- looking.  Live jobs come from memory; finished ones from the store (through the runner).
    std::optional<JobSnapshot> find(JobId id) const;  // unfinished, or one of the last 1000 finished
    std::vector<JobSnapshot> list(
        const std::string& queue) const;  // unfinished, in printing order; all queues if empty
    void find_any(JobId id, DoneWithJob done);
    void list_finished(const std::string& queue, std::size_t limit, DoneWithJobs done);  // newest first; all if empty
    void history(JobId id, DoneWithEvents done);                                         // oldest first
    void ledger(JobId id, DoneWithLedger done);
    const std::vector<Queue>& queues() const { return queues_; }
    const Queue* queue(const std::string& name) const;
    // Where a job for `name` goes: the queue itself or what it is redirected to.   errors  not_found, not_permitted
    Result<Queue> accepting_queue(const std::string& name) const;
    // Why each of `jobs` (as from list()) does not move; one answer for each.
    std::vector<std::optional<Waiting>> explain_waiting(std::span<const JobSnapshot> jobs) const;
    std::optional<Waiting> why(JobId id) const;        // nothing if it moves, has ended, or is not there
    UnixMs now_ms() const { return clock_.now_ms(); }  // the clock of the jobs' times

    // Called on the loop after every durable change; `what` says which event, `submit` for a new job.
    using Listener = std::function<void(const JobSnapshot& job, Event what)>;
    void on_change(Listener listener);
    // Called on the loop when a queue was told something, durably.
    using QueueListener = std::function<void(const QueueOrder& order)>;
    void on_queue_change(QueueListener listener);
    // Called when an operator stops or cancels a job that is being processed: its runner must stop the transfer. Called
    // at once, before the change is durable, since every further byte may become a plate. If the change then can't be
    // stored, the job is held as stopped (or stays processing if the store is broken for good; cancel it again then).
    using StopListener = std::function<void(JobId id)>;
    void on_stop_request(StopListener listener);

  private:
    struct Chain;
    struct Change;
    struct Entry {
        Job job;
        std::shared_ptr<Chain> chain;  // the run of changes that build on each other; a new one after a failure
        int in_flight = 0;             // changes not yet settled
    };
    using Edit = std::function<void(Job&)>;

    void apply(JobId id, Event event, const std::string& actor, const Edit& edit, Done done, std::string detail = {});
    void apply_to_any(JobId id, Event event, const std::string& actor, Edit edit, Done done, std::string detail = {});
    void write(std::shared_ptr<Change> change);
    void settle(Change& change);
    void put_back(Entry& entry, Change& change);
    void keep_stopped(const Change& change);
    void keep_within_limit(JobId id);
    void publish(const JobSnapshot& job, Event what);
    void request_stop(JobId id);
    void adopt(Job job);
    void operate_all(std::vector<JobId> ids, const VerbRequest& request, DoneWithOutcomes done);
    void give_order(QueueOrder order, Done done);
    Result<void> check_redirect(const std::string& from, const std::string& to) const;
    Result<void> recover_orders(JobStore& store);
    Queue* queue_named(const std::string& name);
    std::vector<const Job*> jobs_of(const std::string& queue) const;

    StoreRunner& runner_;
    const Clock& clock_;
    std::vector<Queue> queues_;
    std::vector<Queue> configured_;  // as queues_ before any order
    std::map<JobId, Entry> jobs_;
    std::deque<JobId> finished_;  // those in jobs_, oldest first
    std::function<bool(const std::string&)> spool_file_exists_;
    std::vector<Listener> listeners_;
    std::vector<StopListener> stop_listeners_;
    std::vector<QueueListener> queue_listeners_;
};

}  // namespace opispool::queues
