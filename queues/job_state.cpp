// SPDX-License-Identifier: AGPL-3.0-or-later
#include "queues/job_state.h"

#include <array>
#include <cstddef>

namespace opispool::queues {
namespace {

// Cells of the table: the state afterwards, or `no` where the event is refused.
constexpr std::uint8_t no = 0;
constexpr std::uint8_t pend = static_cast<std::uint8_t>(JobState::pending);
constexpr std::uint8_t held = static_cast<std::uint8_t>(JobState::pending_held);
constexpr std::uint8_t proc = static_cast<std::uint8_t>(JobState::processing);
constexpr std::uint8_t stop = static_cast<std::uint8_t>(JobState::processing_stopped);
constexpr std::uint8_t canc = static_cast<std::uint8_t>(JobState::canceled);
constexpr std::uint8_t abrt = static_cast<std::uint8_t>(JobState::aborted);
constexpr std::uint8_t comp = static_cast<std::uint8_t>(JobState::completed);

constexpr std::size_t first_state = static_cast<std::size_t>(JobState::pending);
constexpr std::size_t state_count = static_cast<std::size_t>(JobState::completed) - first_state + 1;

struct Row {
    Event event;
    std::string_view name;
    std::array<std::uint8_t, state_count> next;
};

// Hold on a held job and release on a waiting one leave the state and are no error: the operator has what was asked
// for, and two people pressing the same button agree. Stop-and-hold takes a waiting job too, because it may have left
// the RIP since the operator looked. A document's arrival moves nothing. No other event leads to processing_stopped; it
// is known so that a door speaking IPP and an older store can say it.
// clang-format off
constexpr std::array<Row, event_count> table{{
    //                                            pending held  process stopped canceled aborted completed
    {Event::start,           "start",           {{proc,   no,   no,     no,     no,      no,     no}}},
    {Event::begin_sending,   "begin-sending",   {{no,     no,   proc,   no,     no,      no,     no}}},
    {Event::retry_later,     "retry-later",     {{no,     no,   pend,   no,     no,      no,     no}}},
    {Event::problem,         "problem",         {{no,     no,   held,   no,     no,      no,     no}}},
    {Event::delivered,       "delivered",       {{no,     no,   comp,   no,     no,      no,     no}}},
    {Event::abort,           "abort",           {{abrt,   abrt, abrt,   abrt,   no,      no,     no}}},
    {Event::hold,            "hold",            {{held,   held, no,     held,   no,      no,     no}}},
    {Event::stop_and_hold,   "stop-and-hold",   {{held,   held, held,   held,   no,      no,     no}}},
    {Event::release,         "release",         {{pend,   pend, no,     pend,   no,      no,     no}}},
    {Event::cancel,          "cancel",          {{canc,   canc, canc,   canc,   no,      no,     no}}},
    {Event::redo,            "redo",            {{no,     no,   no,     no,     pend,    pend,   pend}}},
    {Event::recover_idle,    "recover-idle",    {{no,     no,   pend,   pend,   no,      no,     no}}},
    {Event::recover_sending, "recover-sending", {{no,     no,   held,   held,   no,      no,     no}}},
    {Event::submit,          "submit",          {{no,     no,   no,     no,     no,      no,     no}}},
    {Event::document,        "document",        {{no,     pend, no,     no,     no,      no,     no}}},
    {Event::arrived,         "arrived",         {{pend,   held, proc,   stop,   canc,    abrt,   no}}},
    {Event::schedule,        "schedule",        {{pend,   pend, no,     pend,   no,      no,     no}}},
    {Event::topq,            "topq",            {{pend,   held, no,     stop,   no,      no,     no}}},
    {Event::priority,        "priority",        {{pend,   held, no,     stop,   no,      no,     no}}},
    {Event::move,            "move",            {{pend,   held, no,     stop,   no,      no,     no}}},
    {Event::note,            "note",            {{pend,   held, proc,   stop,   canc,    abrt,   comp}}},
    {Event::copy,            "copy",            {{pend,   held, proc,   stop,   canc,    abrt,   comp}}},
    {Event::forget,          "forget",          {{no,     no,   no,     no,     canc,    abrt,   comp}}},
}};
// clang-format on

constexpr bool rows_are_in_enum_order() {
    for (std::size_t i = 0; i < table.size(); ++i)
        if (static_cast<std::size_t>(table[i].event) != i) return false;
    return true;
}
static_assert(rows_are_in_enum_order());

constexpr std::array<std::string_view, state_count> state_names{
    "pending", "pending-held", "processing", "processing-stopped", "canceled", "aborted", "completed"};

std::size_t column_of(JobState state) {
    return static_cast<std::size_t>(state) - first_state;
}

}  // namespace

std::optional<JobState> next_state(JobState state, Event event) {
    const std::uint8_t next = table.at(static_cast<std::size_t>(event)).next.at(column_of(state));
    if (next == no) return std::nullopt;
    return static_cast<JobState>(next);
}

bool is_finished(JobState state) {
    return state == JobState::canceled || state == JobState::aborted || state == JobState::completed;
}

bool is_operator_verb(Event event) {
    switch (event) {
        case Event::hold:
        case Event::stop_and_hold:
        case Event::release:
        case Event::cancel:
        case Event::redo:
        case Event::schedule:
            return true;
        default:
            return keeps_state(event) && event != Event::forget && event != Event::arrived;
    }
}

bool keeps_state(Event event) {
    return event == Event::topq || event == Event::priority || event == Event::move || event == Event::note ||
           event == Event::copy || event == Event::forget || event == Event::arrived;
}

std::string_view name_of(JobState state) {
    return state_names.at(column_of(state));
}

std::string_view name_of(Event event) {
    return table.at(static_cast<std::size_t>(event)).name;
}

std::optional<JobState> parse_job_state(std::string_view keyword) {
    for (std::size_t i = 0; i < state_names.size(); ++i)
        if (state_names[i] == keyword) return static_cast<JobState>(i + first_state);
    return std::nullopt;
}

std::optional<Event> parse_event(std::string_view name) {
    for (const Row& row : table)
        if (row.name == name) return row.event;
    return std::nullopt;
}

}  // namespace opispool::queues
