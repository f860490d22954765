// SPDX-License-Identifier: AGPL-3.0-or-later
// IppDoor: the rules for all operations, and those that ask or change. Documents are in ipp_documents.cpp.
#include "spooler/ipp/ipp_door.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/percent_code.h"
#include "base/text.h"
#include "spooler/ipp/ipp_limits.h"
#include "spooler/workers.h"

namespace opispool::ipp {

namespace asio = boost::asio;
using queues::JobId;
using queues::JobSnapshot;

namespace {

// CUPS's commands ask for all queues at once, at the address of the server.
bool is_about_all_queues(ipp_op_t operation) {
    return operation == IPP_OP_CUPS_GET_DEFAULT || operation == IPP_OP_CUPS_GET_PRINTERS;
}

// Newest finished jobs in one answer.
constexpr std::size_t finished_limit = 500;

bool is_about_a_job(ipp_op_t operation) {
    switch (operation) {
        case IPP_OP_SEND_DOCUMENT:
        case IPP_OP_CANCEL_JOB:
        case IPP_OP_GET_JOB_ATTRIBUTES:
        case IPP_OP_HOLD_JOB:
        case IPP_OP_RELEASE_JOB:
        case IPP_OP_CLOSE_JOB:
            return true;
        default:
            return false;
    }
}

bool begins_with_charset_and_language(const Request& request) {
    const auto first = request.attributes(IPP_TAG_OPERATION);
    if (first.size() < 2) return false;
    return std::strcmp(ippGetName(first[0]), "attributes-charset") == 0 &&
           ippGetValueTag(first[0]) == IPP_TAG_CHARSET &&
           std::strcmp(ippGetName(first[1]), "attributes-natural-language") == 0 &&
           ippGetValueTag(first[1]) == IPP_TAG_LANGUAGE;
}

// What a printer-uri or job-uri names, whatever host and scheme the client believes to talk to.
struct Named {
    std::string queue;
    std::optional<JobId> job;
};

Named read_uri(std::string_view uri) {
    Named named;
    const auto scheme = uri.find("://");
    if (scheme == std::string_view::npos) return named;
    uri.remove_prefix(scheme + 3);
    uri.remove_prefix(std::min(uri.find('/'), uri.size()));
    for (const std::string_view folder : {"/printers/", "/ipp/print/", "/jobs/"}) {
        if (!uri.starts_with(folder)) continue;
        const auto name = percent_decoded(uri.substr(folder.size()), false);
        if (!name) return named;
        const auto number = parse_i64(*name);
        if (folder != "/jobs/")
            named.queue = *name;
        else if (number && *number > 0)
            named.job = JobId{*number};
    }
    return named;
}

Refusal refusal(ipp_status_t status, std::string text) {
    return {status, std::move(text), nullptr};
}

// The rules of RFC 8011 4.1 in the order in which 4.1.7 wants them checked.
std::optional<Refusal> refuse_form(const Request& request) {
    const int major = request.major_version();
    if (major != 1 && major != 2)
        return refusal(IPP_STATUS_ERROR_VERSION_NOT_SUPPORTED, "IPP 1.1 and 2.0 are spoken here");
    if (request.id() == 0 || request.id() > 0x7fffffffU)
        return refusal(IPP_STATUS_ERROR_BAD_REQUEST, "the request-id is not between 1 and 2147483647");
    if (std::find(operations.begin(), operations.end(), request.operation()) == operations.end())
        return refusal(IPP_STATUS_ERROR_OPERATION_NOT_SUPPORTED, "this operation is not offered");
    if (!begins_with_charset_and_language(request))
        return refusal(IPP_STATUS_ERROR_BAD_REQUEST,
                       "attributes-charset and attributes-natural-language must be the first two attributes");
    const std::string charset = request.text("attributes-charset").value_or("");
    if (!equals_ignoring_case(charset, "utf-8") && !equals_ignoring_case(charset, "us-ascii"))
        return refusal(IPP_STATUS_ERROR_CHARSET, "the charset is not utf-8 or us-ascii");
    return std::nullopt;
}

ipp_status_t status_of(const Error& error) {
    switch (error.code) {
        case Code::not_found:
            return IPP_STATUS_ERROR_NOT_FOUND;
        case Code::not_permitted:
        case Code::conflict:
            return IPP_STATUS_ERROR_NOT_POSSIBLE;
        case Code::bad_syntax:
            return IPP_STATUS_ERROR_BAD_REQUEST;
        case Code::too_large:
            return IPP_STATUS_ERROR_REQUEST_ENTITY;
        case Code::no_space:
            return IPP_STATUS_ERROR_TEMPORARY;
        default:
            return IPP_STATUS_ERROR_INTERNAL;
    }
}

}  // namespace

IppDoor::IppDoor(spooler::Submission to)
    : to_(std::move(to)), open_(std::chrono::seconds(open_job_time_out_s), [this](JobId id, const OpenJob& job) {
          end_open_job(id, job);
      }) {}

Place IppDoor::place(const Caller& caller) const {
    return {caller.authority, to_.queues.now_ms()};
}

Reply IppDoor::answer(const Request& request, ipp_status_t status) const {
    return Reply(status, request.id(), request.major_version(), request.minor_version());
}

Reply IppDoor::answer(const Request& request, const Error& error) const {
    const ipp_status_t status = status_of(error);
    Reply reply = answer(request, status);
    // What a client may know is the text; a server's path or SQL step is for the log.
    reply.say(status == IPP_STATUS_ERROR_INTERNAL ? describe(error) : error.text);
    return reply;
}

Reply IppDoor::refuse(const Request& request, const Refusal& refused) const {
    Reply reply = answer(request, refused.status);
    reply.say(refused.text);
    if (refused.attribute != nullptr) reply.copy(IPP_TAG_UNSUPPORTED_GROUP, refused.attribute);
    return reply;
}

tl::expected<Target, Refusal> IppDoor::find_target(const Request& request, const Caller& caller) const {
    if (auto refused = refuse_form(request)) return tl::unexpected(std::move(*refused));
    Target target;
    if (is_about_all_queues(request.operation())) return target;
    const auto printer_uri = request.text("printer-uri");
    const auto job_uri = request.text("job-uri");
    if (!printer_uri && !job_uri)
        return tl::unexpected(refusal(IPP_STATUS_ERROR_BAD_REQUEST, "printer-uri is missing"));
    const Named named = read_uri(job_uri ? *job_uri : *printer_uri);
    target.job = named.job;
    if (const auto number = request.number("job-id"); number && !job_uri) target.job = JobId{*number};
    const std::string name = caller.queue.empty() ? named.queue : caller.queue;
    target.queue = to_.queues.queue(name);
    const bool needs_job = is_about_a_job(request.operation());
    if (needs_job && !target.job)
        return tl::unexpected(refusal(IPP_STATUS_ERROR_BAD_REQUEST, "job-id or job-uri is missing"));
    const bool may_be_any = needs_job || request.operation() == IPP_OP_GET_JOBS;
    if (target.queue == nullptr && (!may_be_any || !name.empty()))
        return tl::unexpected(refusal(IPP_STATUS_ERROR_NOT_FOUND, "there is no queue '" + printable(name) + "'"));
    return target;
}

asio::awaitable<Reply> IppDoor::operate(const Request& request, Target target, Caller caller) {
    switch (request.operation()) {
        case IPP_OP_GET_PRINTER_ATTRIBUTES:
            co_return show_printers(request, std::span(target.queue, 1), caller);
        case IPP_OP_CUPS_GET_PRINTERS:
            co_return show_printers(request, to_.queues.queues(), caller);
        case IPP_OP_CUPS_GET_DEFAULT:
            co_return show_printers(request, std::span(to_.queues.queues()).first(to_.queues.queues().empty() ? 0 : 1),
                                    caller);
        case IPP_OP_VALIDATE_JOB:
            co_return validate(request, target, caller);
        case IPP_OP_CREATE_JOB:
            co_return co_await create_job(request, target, std::move(caller));
        case IPP_OP_GET_JOBS:
            co_return co_await list_jobs(request, target, std::move(caller));
        case IPP_OP_CANCEL_MY_JOBS:
            co_return co_await cancel_my_jobs(request, target);
        case IPP_OP_PAUSE_PRINTER:
        case IPP_OP_RESUME_PRINTER:
            co_return co_await change_queue(request, target);
        default:
            break;
    }
    JobResult job = co_await find_job(*target.job);
    if (!job) co_return answer(request, job.error());
    if (target.queue != nullptr && job->queue != target.queue->name)
        co_return refuse(request, refusal(IPP_STATUS_ERROR_NOT_FOUND, "this queue has no such job"));
    if (request.operation() == IPP_OP_GET_JOB_ATTRIBUTES)
        co_return co_await show_job(request, target, std::move(caller));
    if (request.operation() == IPP_OP_CLOSE_JOB) co_return co_await close_job(request, *target.job, std::move(caller));
    co_return co_await change_job(request, target);
}

Reply IppDoor::show_printers(const Request& request, std::span<const queues::Queue> shown, const Caller& caller) const {
    Reply reply = answer(request);
    const Wanted wanted(request.texts("requested-attributes"), {"all"});
    AttributeWriter out(reply, wanted, IPP_TAG_PRINTER);
    const std::vector<JobSnapshot> jobs = to_.queues.list({});
    for (const queues::Queue& queue : shown) {
        if (&queue != shown.data()) reply.separate();
        write_printer(out, queue, jobs, place(caller));
    }
    return reply;
}

asio::awaitable<IppDoor::JobResult> IppDoor::find_job(JobId id) {
    std::function<void(queues::DoneWithJob)> ask = [this, id](queues::DoneWithJob done) {
        to_.queues.find_any(id, std::move(done));
    };
    co_return co_await spooler::wait_for<JobSnapshot>(std::move(ask));
}

asio::awaitable<Result<void>> IppDoor::tell(std::function<void(queues::Done)> verb) {
    co_return co_await spooler::wait_for<void>(std::move(verb));
}

asio::awaitable<Reply> IppDoor::show_job(const Request& request, Target target, Caller caller) {
    const JobResult job = co_await find_job(*target.job);
    if (!job) co_return answer(request, job.error());
    Reply reply = answer(request);
    const Wanted wanted(request.texts("requested-attributes"), {"all"});
    AttributeWriter out(reply, wanted, IPP_TAG_JOB);
    write_job(out, *job, place(caller));
    co_return reply;
}

asio::awaitable<Reply> IppDoor::list_jobs(const Request& request, Target target, Caller caller) {
    const std::string which = request.text("which-jobs").value_or("not-completed");
    const int limit = request.number("limit").value_or(0);
    const std::string mine = request.flag("my-jobs").value_or(false) ? user_of(request) : std::string();
    if (which != "completed" && which != "not-completed" && which != "all")
        co_return refuse(request,
                         refusal(IPP_STATUS_ERROR_ATTRIBUTES_OR_VALUES, "which-jobs '" + which + "' is not offered"));
    const std::string queue = target.queue != nullptr ? target.queue->name : std::string();
    std::vector<JobSnapshot> jobs;
    if (which != "completed") jobs = to_.queues.list(queue);
    if (which != "not-completed") {
        std::function<void(queues::DoneWithJobs)> ask = [this, &queue](queues::DoneWithJobs done) {
            to_.queues.list_finished(queue, finished_limit, std::move(done));
        };
        const Result<std::vector<JobSnapshot>> finished =
            co_await spooler::wait_for<std::vector<JobSnapshot>>(std::move(ask));
        if (!finished) co_return answer(request, finished.error());
        jobs.insert(jobs.end(), finished->begin(), finished->end());
    }
    if (!mine.empty()) std::erase_if(jobs, [&](const JobSnapshot& job) { return job.user != mine; });
    if (limit > 0 && jobs.size() > static_cast<std::size_t>(limit)) jobs.resize(static_cast<std::size_t>(limit));

    Reply reply = answer(request);
    const Wanted wanted(request.texts("requested-attributes"), {"job-id", "job-uri"});
    AttributeWriter out(reply, wanted, IPP_TAG_JOB);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        if (i > 0) reply.separate();
        write_job(out, jobs[i], place(caller));
    }
    co_return reply;
}

asio::awaitable<Reply> IppDoor::change_job(const Request& request, Target target) {
    const JobId id = *target.job;
    const std::string user = user_of(request);
    const std::string until = request.text("job-hold-until").value_or("indefinite");
    if (request.operation() == IPP_OP_HOLD_JOB && until != "indefinite" && until != "no-hold")
        co_return refuse(request, refusal(IPP_STATUS_ERROR_ATTRIBUTES_OR_VALUES,
                                          "job-hold-until '" + until + "' is not offered; use indefinite"));
    const bool holds = request.operation() == IPP_OP_HOLD_JOB && until == "indefinite";
    std::function<void(queues::Done)> verb = [&](queues::Done done) {
        if (request.operation() == IPP_OP_CANCEL_JOB) return to_.queues.cancel(id, user, std::move(done));
        if (holds) return to_.queues.hold(id, user, std::move(done));
        to_.queues.release(id, user, std::move(done));
    };
    const Result<void> changed = co_await tell(std::move(verb));
    if (!changed) co_return answer(request, changed.error());
    if (request.operation() == IPP_OP_CANCEL_JOB) open_.remove(id);
    co_return answer(request);
}

asio::awaitable<Reply> IppDoor::change_queue(const Request& request, Target target) {
    const bool paused = request.operation() == IPP_OP_PAUSE_PRINTER;
    const std::string name = target.queue->name;
    const std::string user = user_of(request);
    std::function<void(queues::Done)> verb = [&](queues::Done done) {
        to_.queues.set_switch(name, queues::QueueWord::paused, paused, user, std::move(done));
    };
    const Result<void> changed = co_await tell(std::move(verb));
    if (!changed) co_return answer(request, changed.error());
    co_return answer(request);
}

asio::awaitable<Reply> IppDoor::cancel_my_jobs(const Request& request, Target target) {
    const std::string user = user_of(request);
    const std::vector<int> chosen = request.numbers("job-ids");
    std::vector<JobId> ids;
    for (const JobSnapshot& job : to_.queues.list(target.queue->name)) {
        const bool named = chosen.empty() || std::find(chosen.begin(), chosen.end(), job.id.value) != chosen.end();
        if (named && job.user == user) ids.push_back(job.id);
    }
    // PWG 5100.11 5.1: a job that is named but not there, or not the user's, stops the whole.
    if (!chosen.empty() && ids.size() != chosen.size())
        co_return refuse(request, refusal(IPP_STATUS_ERROR_NOT_FOUND, "one of the jobs is not yours, or not waiting"));
    for (const JobId id : ids) {
        std::function<void(queues::Done)> verb = [this, id, &user](queues::Done done) {
            to_.queues.cancel(id, user, std::move(done));
        };
        const Result<void> canceled = co_await tell(std::move(verb));
        // One that ended meanwhile is what its owner wanted.
        if (!canceled && canceled.error().code != Code::not_permitted) co_return answer(request, canceled.error());
        open_.remove(id);
    }
    co_return answer(request);
}

}  // namespace opispool::ipp
