// SPDX-License-Identifier: AGPL-3.0-or-later
// Where job records survive a crash. Implemented by sqlite_job_store; tests also use an in-memory one.
//   thread  one (the store thread); every function returns after the record is durable
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "queues/job.h"

namespace opispool::queues {

class JobStore {
  public:
    virtual ~JobStore() = default;
    // Gives the job its id.
    virtual Result<JobId> insert(const Job& job) = 0;
    // Compare and set: writes the whole record if the stored state still is `expected`.   errors  conflict, not_found
    virtual Result<void> update(const Job& job, JobState expected) = 0;
    virtual Result<std::vector<Job>> load_unfinished() = 0;
    virtual Result<std::optional<Job>> load(JobId id) = 0;
    // Newest first.
    virtual Result<std::vector<Job>> load_finished(const std::string& queue, std::size_t limit) = 0;
    // Who did what, when; kept for ever with the job.
    virtual Result<void> record_event(JobId id, Event event, const std::string& actor, UnixMs at_ms) = 0;
};

}  // namespace opispool::queues
