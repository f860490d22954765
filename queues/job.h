// SPDX-License-Identifier: AGPL-3.0-or-later
// Plain records of a job. The owner is QueueService; everybody else holds a JobId or a copy (JobSnapshot).
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "queues/job_state.h"

namespace opispool::queues {

struct JobId {
    std::int64_t value = 0;
    friend auto operator<=>(const JobId&, const JobId&) = default;
};

// What an intake door knows when the last byte is durable in the spool.
struct NewJob {
    std::string queue;
    std::string title, user, host;  // as the client said, printable UTF-8
    std::string door;               // "lpd", "socket", "http", "ipp"
    std::string spool_file;         // name inside the spool's jobs folder; ours; immutable once it is whole; empty:
                                    // nothing of it has arrived yet
    std::uint64_t size_bytes = 0;   // 0: the document still arrives, its spool file grows
    bool hold = false;              // accepted but must not print by itself, e.g. its tail looks cut off
    std::string hold_reason;
};

struct Job : NewJob {
    JobId id;
    JobState state = JobState::pending;
    std::string reason;                 // why it is in this state, for people; empty when nothing is to be said
    std::vector<std::string> messages;  // problems, warnings, the RIP's words; in order
    std::uint64_t result_bytes = 0;     // exact size of the press-ready result, once planned
    std::uint64_t sent_bytes = 0;       // taken by the destination in the last attempt
    bool sending_begun = false;         // durable before the first byte leaves: the RIP may have printed
    int attempts = 0;
    UnixMs created_ms = 0, changed_ms = 0, not_before_ms = 0;
};

using JobSnapshot = Job;

}  // namespace opispool::queues
