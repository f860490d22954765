// SPDX-License-Identifier: AGPL-3.0-or-later
// The one table of what may happen to a job: state x event -> state. States are IPP's (RFC 8011 5.3.7).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace opispool::queues {

enum class JobState : std::uint8_t {
    pending = 3,             // waits for its turn
    pending_held = 4,        // waits for a person (or a picture)
    processing = 5,          // planned or sent right now
    processing_stopped = 6,  // was processing, waits for the destination
    canceled = 7,            // a person ended it
    aborted = 8,             // the system ended it
    completed = 9,           // the destination took every byte
};

enum class Event : std::uint8_t {
    start,            // the runner takes it
    begin_sending,    // the first byte is about to leave
    retry_later,      // destination not reachable, no byte taken: wait and try again
    problem,          // can't be resolved or sent: hold with the reason
    delivered,        // done
    abort,            // the system gives it up
    hold,             // operator
    stop_and_hold,    // operator, on a job that is being processed
    release,          // operator
    cancel,           // operator
    redo,             // operator: print a finished job again
    recover_idle,     // restart found it processing, no byte had left
    recover_sending,  // restart found it processing after the first byte could have left
    submit,           // intake: the job is new; never changes an existing job
    document,         // intake: the document of a job that was begun without one has arrived
    arrived,          // intake: the document of a job that began to print while it came is whole
    schedule,         // operator: print it, but not before a time
    topq,             // operator: the next of its queue
    priority,         // operator
    move,             // operator: to another queue
    note,             // operator: their own words about it
    copy,             // operator: a new job with the same document, on any queue
    forget            // the system: the document of a finished job is no longer kept
};

// The state after `event`, or nothing if it is not possible in `state`.
std::optional<JobState> next_state(JobState state, Event event);

bool is_finished(JobState state);
bool is_operator_verb(Event event);        // what people ask for; a refusal tells them what to do instead
bool keeps_state(Event event);             // changes something about the job, never its state
std::string_view name_of(JobState state);  // IPP keyword: "pending", "pending-held", ...
std::string_view name_of(Event event);     // "start", "stop-and-hold", ...: as kept in the job's history
std::optional<JobState> parse_job_state(std::string_view keyword);
std::optional<Event> parse_event(std::string_view name);
inline constexpr int event_count = static_cast<int>(Event::forget) + 1;

}  // namespace opispool::queues
