// SPDX-License-Identifier: AGPL-3.0-or-later
#include "queues/job_text.h"

#include "base/clock.h"
#include "base/text.h"

namespace opispool::queues {
namespace {

std::string number_of(const Job& job) {
    return "job " + std::to_string(job.id.value);
}

std::string sent_of_result(const Job& job) {
    if (job.result_bytes == 0) return std::to_string(job.sent_bytes) + " bytes";  // sent while it arrived
    return std::to_string(job.sent_bytes) + " of " + std::to_string(job.result_bytes) + " bytes";
}

// Whether a byte of the attempt that is being stopped may have reached the destination.
bool may_have_printed(const Job& job) {
    return job.state == JobState::processing && job.sending_begun;
}

// "" or "; 38.1 MB of 120 MB were already sent, the RIP may print part of it"
std::string sent_clause(const Job& job) {
    if (!may_have_printed(job)) return {};
    const std::string of_result = job.result_bytes > 0 ? " of " + format_bytes(job.result_bytes) : std::string();
    return "; " + format_bytes(job.sent_bytes) + of_result + " were already sent, the RIP may print part of it";
}

std::string refusal_text(const Job& job, Event event) {
    const std::string state(name_of(job.state));
    if (event == Event::redo) return number_of(job) + " is " + state + "; only a finished job can be printed again";
    if (is_finished(job.state)) return number_of(job) + " is already " + state + "; print it again with redo";
    if (event == Event::hold && job.sending_begun)
        return number_of(job) + " is being sent; stop it with stop-and-hold (" + sent_of_result(job) +
               " were already sent; the RIP may print part of it)";
    if (event == Event::hold)
        return number_of(job) + " is being prepared; stop it with stop-and-hold (nothing was sent yet)";
    if (event == Event::release && job.spool_file.empty())
        return number_of(job) + " is still waiting for its document; it prints by itself when it has come";
    if (event == Event::release) return number_of(job) + " is already being printed; there is nothing to release";
    return number_of(job) + " is being printed; stop it with stop-and-hold before you use " +
           std::string(name_of(event));
}

}  // namespace

Error no_such_job(JobId id) {
    return Error{Code::not_found, Operation::execute, "there is no job " + std::to_string(id.value), {}, std::nullopt};
}

Error no_such_queue(const std::string& name) {
    return Error{
        Code::not_found, Operation::execute, "there is no queue \"" + printable(name) + "\"", {}, std::nullopt};
}

Error refusal(const Job& job, Event event) {
    if (is_operator_verb(event))
        return Error{Code::not_permitted, Operation::execute, refusal_text(job, event), {}, std::nullopt};
    return Error{Code::conflict,
                 Operation::execute,
                 number_of(job) + " is " + std::string(name_of(job.state)) + " meanwhile; \"" +
                     std::string(name_of(event)) + "\" changes nothing",
                 {},
                 std::nullopt};
}

std::string change_detail(const Job& before, const Job& after, Event event) {
    switch (event) {
        case Event::priority:
            return std::to_string(before.priority) + " -> " + std::to_string(after.priority);
        case Event::move:
            return before.queue + " -> " + after.queue;
        case Event::note:
            return after.note;
        case Event::start:
            return "attempt " + std::to_string(after.attempts);
        case Event::begin_sending:
            return format_bytes(after.result_bytes) + " to send";
        case Event::delivered:
            return format_bytes(after.sent_bytes) + " sent";
        default:
            return after.reason == before.reason ? std::string() : after.reason;
    }
}

std::string held_reason(const Job& job, const std::string& actor) {
    return "held by " + actor + sent_clause(job);
}

std::string canceled_reason(const Job& job, const std::string& actor) {
    return "canceled by " + actor + sent_clause(job);
}

std::string interrupted_reason(const Job& job) {
    // Progress is kept in memory while a job is sent, so after a crash its last value is usually lost.
    std::string how_far = "interrupted while sending";
    if (job.sent_bytes > 0)
        how_far += " after " + sent_of_result(job) + " (the server stopped)";
    else if (job.result_bytes > 0)
        how_far += " (the server stopped; how many of the " + std::to_string(job.result_bytes) +
                   " bytes had been sent is not known)";
    else
        how_far += " (the server stopped; how many bytes had been sent is not known)";
    return how_far + "; the RIP may have printed part of it. Release it to send it again from the start, or cancel it.";
}

std::string stopped_unrecorded_reason(const Job& job, const std::string& actor, const std::string& error_text) {
    return "stopped by " + actor + ", but the request could not be recorded (" + error_text + ")" + sent_clause(job) +
           ". Release it to send it again from the start, or cancel it.";
}

std::string broke_off_reason(const Job& job, std::uint64_t size_bytes, const std::string& why) {
    return "in doubt: only the first " + std::to_string(size_bytes) + " bytes of its document came (" + why + ")" +
           (job.state == JobState::processing ? sent_clause(job) : std::string()) +
           ". Cancel it and send it again, or release it to print what came";
}

std::string scheduled_reason(const Job& job, const std::string& actor) {
    return "scheduled by " + actor + " for " + local_time_text(job.not_before_ms);
}

std::string no_document_reason() {
    return "waiting for its document";
}

std::string spool_file_missing_reason(const Job& job) {
    if (job.spool_file.empty()) return "its document never arrived; send the job again";
    return "its spool file " + job.spool_file + " is missing; send the job again";
}

}  // namespace opispool::queues
