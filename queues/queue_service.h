// SPDX-License-Identifier: AGPL-3.0-or-later
// The only door to jobs: command line, HTTP, intake and the job runners all call these functions, and nothing else writes
// the job store. Lives on the loop thread; store work runs on the store thread through StoreRunner, and its result comes back
// on the loop before anybody is told. An answer given here is durable.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "queues/job.h"
#include "queues/job_store.h"
#include "queues/queue.h"

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

using Done = std::function<void(Result<void>)>;
using DoneWithId = std::function<void(Result<JobId>)>;

class QueueService {
  public:
    // runner, clock  outlive the service      queues  from the configuration, names unique
    QueueService(StoreRunner& runner, const Clock& clock, std::vector<Queue> queues);

    // Start-up, before anything else: reads the unfinished jobs (from `store`, directly) and settles what a crash left:
    // processing without a byte sent -> pending; processing with sending begun -> held, "interrupted while sending".
    // A job whose spool file is in `missing` (asked through the callback) is aborted with that reason.
    //   errors  store
    Result<void> recover(JobStore& store, const std::function<bool(const std::string& spool_file)>& spool_file_exists);

    // ---- intake.  `done` gets the id only after the record is durable: then, and not before, acknowledge.
    //   errors  not_found (queue), not_permitted (queue does not accept), store errors
    void submit(NewJob job, DoneWithId done);

    // ---- operator verbs.  errors  not_found, not_permitted (with the reason and what to do), store errors
    void hold(JobId id, const std::string& actor, Done done);
    void stop_and_hold(JobId id, const std::string& actor, Done done);   // a job being processed; the runner is told
    void release(JobId id, const std::string& actor, Done done);
    void cancel(JobId id, const std::string& actor, Done done);
    void redo(JobId id, const std::string& actor, Done done);

    // ---- the runner of one queue
    // The next job that may start now, by scheduler::pick_next; nothing if the queue is busy, paused or empty.
    std::optional<JobId> next_job(const std::string& queue) const;
    // When next_job() could answer differently without any event: the earliest not_before of the queue's pending jobs.
    std::optional<UnixMs> next_wake_ms(const std::string& queue) const;
    void start(JobId id, Done done);
    void begin_sending(JobId id, std::uint64_t result_bytes, Done done);   // durable before byte one
    void progress(JobId id, std::uint64_t sent_bytes);                     // memory only; kept with the next state change
    void add_message(JobId id, std::string message);                      // kept with the next state change
    void retry_later(JobId id, UnixMs not_before_ms, std::string reason, Done done);
    void hold_for_problem(JobId id, std::string reason, Done done);
    void delivered(JobId id, Done done);
    void abort(JobId id, std::string reason, Done done);

    // ---- looking.  Live jobs come from memory; finished ones from the store (through the runner).
    std::optional<JobSnapshot> find(JobId id) const;                       // unfinished, or finished in this process's life
    std::vector<JobSnapshot> list(const std::string& queue) const;         // in printing order; all queues if empty
    void find_any(JobId id, std::function<void(Result<JobSnapshot>)> done);
    const std::vector<Queue>& queues() const { return queues_; }
    const Queue* queue(const std::string& name) const;

    // Called on the loop after every durable change; `what` says which event.
    using Listener = std::function<void(const JobSnapshot& job, Event what)>;
    void on_change(Listener listener);
    // Called when an operator stops or cancels a job that is being processed: its runner must stop the transfer.
    using StopListener = std::function<void(JobId id)>;
    void on_stop_request(StopListener listener);

  private:
    struct Change;
    void apply(JobId id, Event event, const std::string& actor, std::function<void(Job&)> edit, Done done);

    StoreRunner& runner_;
    const Clock& clock_;
    std::vector<Queue> queues_;
    std::map<JobId, Job> jobs_;
    std::vector<Listener> listeners_;
    std::vector<StopListener> stop_listeners_;
};

}  // namespace opispool::queues
