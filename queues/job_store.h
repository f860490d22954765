// SPDX-License-Identifier: AGPL-3.0-or-later
// Where job records survive a crash. Implemented by sqlite_job_store; tests also use an in-memory one.
//   thread  one at a time (the store thread)
//   every function that writes returns after the record is durable, or, inside in_one_commit(), belongs to its commit
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "queues/job.h"
#include "queues/ledger.h"
#include "queues/queue.h"

namespace opispool::queues {

// One line of a job's history.
struct EventRecord {
    JobId job;
    Event event = Event::submit;
    std::string actor;  // a person's name, an intake door's user, or "system"
    UnixMs at_ms = 0;
    std::string detail;  // what the event alone does not say: the reason, "cover -> inside"; may be empty
};

class JobStore {
  public:
    virtual ~JobStore() = default;
    // Gives the job its id; an id is never used twice, even after the job is gone. `job.id` is ignored.
    virtual Result<JobId> insert(const Job& job) = 0;
    // Compare and set: writes the whole record if the stored state still is `expected`.   errors  conflict, not_found
    virtual Result<void> update(const Job& job, JobState expected) = 0;
    // Lowest id first.
    virtual Result<std::vector<Job>> load_unfinished() = 0;
    virtual Result<std::optional<Job>> load(JobId id) = 0;
    // Newest first; of all queues if `queue` is empty.
    virtual Result<std::vector<Job>> load_finished(const std::string& queue, std::size_t limit) = 0;
    // Who did what, when; kept for ever with the job.
    virtual Result<void> record_event(const EventRecord& record) = 0;
    // Oldest first.
    virtual Result<std::vector<EventRecord>> load_events(JobId id) = 0;

    // What people ordered queues to do, one order for each queue and word; the latest replaces the one before.
    virtual Result<void> save_order(const QueueOrder& order) = 0;
    virtual Result<void> forget_order(const std::string& queue, QueueWord word) = 0;  // as configured again
    virtual Result<std::vector<QueueOrder>> load_orders() = 0;                        // by queue, then word

    // Replaces the job's ledger; `redone` keeps the one that was there as the printing before.
    virtual Result<void> save_ledger(JobId id, const std::vector<LedgerEntry>& entries, bool redone) = 0;
    virtual Result<Ledger> load_ledger(JobId id) = 0;

    // All writes of `steps` become durable together when this returns, or none of them does (also when `steps` fails).
    // May be nested: an inner failure undoes the inner writes only, and the outermost call is the durable one. Several
    // jobs' changes thus share one disk flush.
    virtual Result<void> in_one_commit(const std::function<Result<void>()>& steps) = 0;
};

}  // namespace opispool::queues
