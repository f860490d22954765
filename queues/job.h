// SPDX-License-Identifier: AGPL-3.0-or-later
// Plain records of a job. The owner is QueueService; everybody else holds a JobId or a copy (JobSnapshot).
#pragma once

#include <compare>
#include <cstddef>
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

inline constexpr int lowest_priority = 1, default_priority = 50, highest_priority = 100;
inline constexpr std::size_t max_note_bytes = 1000;

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
    int priority = default_priority;  // 1 to 100, the higher one prints first (IPP job-priority)
    UnixMs not_before_ms = 0;         // waits until then
    std::string note;                 // people's own words, at most max_note_bytes
    std::string origin;  // for its log, when it does not come straight from a client; not kept in the record
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
    UnixMs created_ms = 0, changed_ms = 0;
    std::int64_t rank = 0;        // before priority and age: topq gives the lowest of its queue
    Event cause = Event::submit;  // what brought it into its state, by whom, when
    std::string cause_by;
    UnixMs since_ms = 0;
};

using JobSnapshot = Job;

}  // namespace opispool::queues
