// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/http/api_parameters.h"

#include "base/text.h"

namespace opispool::http {

namespace {

constexpr std::size_t longest_name_bytes = 255;

// Cut where a character ends.
std::string at_most(std::string text, std::size_t bytes) {
    if (text.size() <= bytes) return text;
    std::size_t cut = bytes;
    while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80U) --cut;
    return text.substr(0, cut);
}

Result<std::int64_t> read_number(const Route& route, const char* name, const char* meaning) {
    const auto found = route.query.find(name);
    if (found == route.query.end())
        return fail(Code::bad_syntax, Operation::execute, "the parameter '" + std::string(name) + "' is missing");
    const auto number = parse_i64(found->second);
    if (!number || *number < 0) return fail(Code::bad_syntax, Operation::execute, std::string(name) + " is " + meaning);
    return *number;
}

Result<int> read_priority(const Route& route) {
    const auto number = read_number(route, "priority", "a number from 1 to 100");
    if (!number) return fail(number.error());
    if (*number < queues::lowest_priority || *number > queues::highest_priority)
        return fail(Code::bad_syntax, Operation::execute, "priority is a number from 1 to 100");
    return static_cast<int>(*number);
}

Result<UnixMs> read_time(const Route& route) {
    return read_number(route, "at", "a time in milliseconds since 1970-01-01 UTC");
}

Result<std::string> read_note(const Route& route) {
    const auto found = route.query.find("note");
    std::string note = found == route.query.end() ? std::string() : printable(found->second);
    if (note.size() > queues::max_note_bytes)
        return fail(Code::too_large, Operation::execute,
                    "a note has at most " + std::to_string(queues::max_note_bytes) + " bytes");
    return note;
}

}  // namespace

std::string parameter(const Route& route, const char* name, std::string otherwise) {
    const auto found = route.query.find(name);
    return found == route.query.end() ? std::move(otherwise) : at_most(printable(found->second), longest_name_bytes);
}

Result<queues::VerbRequest> read_verb(const Route& route) {
    queues::VerbRequest request;
    request.verb = route.verb;
    request.actor = parameter(route, "by", "http");
    if (route.verb == queues::Event::schedule) {
        const auto time = read_time(route);
        if (!time) return fail(time.error());
        request.not_before_ms = *time;
    }
    if (route.verb == queues::Event::priority) {
        const auto priority = read_priority(route);
        if (!priority) return fail(priority.error());
        request.priority = *priority;
    }
    if (route.verb == queues::Event::move) {
        request.queue = parameter(route, "queue");
        if (request.queue.empty())
            return fail(Code::bad_syntax, Operation::execute, "the parameter 'queue' is missing");
    }
    if (route.verb == queues::Event::note) {
        auto note = read_note(route);
        if (!note) return fail(note.error());
        request.note = std::move(*note);
    }
    return request;
}

Result<queues::NewJob> read_wishes(const Route& route) {
    queues::NewJob job;
    if (route.query.contains("at")) {
        const auto time = read_time(route);
        if (!time) return fail(time.error());
        job.not_before_ms = *time;
    }
    if (route.query.contains("priority")) {
        const auto priority = read_priority(route);
        if (!priority) return fail(priority.error());
        job.priority = *priority;
    }
    auto note = read_note(route);
    if (!note) return fail(note.error());
    job.note = std::move(*note);
    return job;
}

}  // namespace opispool::http
