// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/http/api_handlers.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <functional>
#include <vector>

#include "base/text.h"
#include "spooler/http/api_json.h"
#include "spooler/http/api_parameters.h"
#include "spooler/intake/intake.h"
#include "spooler/ipp/ppd.h"
#include "spooler/workers.h"

namespace opispool::http {

namespace asio = boost::asio;
namespace json = boost::json;
using queues::JobId;
using queues::JobSnapshot;

namespace {

// Newest finished jobs in one answer; older ones are found by their number.
constexpr std::size_t finished_limit = 500;

}  // namespace

ApiReply json_reply(const json::value& value, unsigned status) {
    return {status, json::serialize(value) + "\n", {}, "application/json"};
}

ApiReply error_reply(unsigned status, std::string_view text) {
    return json_reply(json_of_error(text), status);
}

ApiReply error_reply(const Error& error) {
    unsigned status = 500;
    switch (error.code) {
        case Code::not_found:
            status = 404;
            break;
        case Code::not_permitted:
        case Code::conflict:
            status = 409;
            break;
        case Code::bad_syntax:
            status = 400;
            break;
        case Code::too_large:
            status = 413;
            break;
        case Code::no_space:
            status = 507;
            break;
        default:
            break;
    }
    // What a client may know is the text; a server's path or SQL step is for the log.
    return error_reply(status, status == 500 ? describe(error) : error.text);
}

asio::awaitable<ApiReply> ApiHandlers::handle(Route route) {
    switch (route.endpoint) {
        case Endpoint::list_queues:
            co_return list_queues();
        case Endpoint::list_jobs:
            co_return co_await list_jobs(std::move(route));
        case Endpoint::show_job:
            co_return co_await show_job(route.job, 200);
        case Endpoint::explain_job:
            co_return co_await explain_job(route.job);
        case Endpoint::change_job:
            co_return co_await change_job(std::move(route));
        case Endpoint::copy_job:
            co_return co_await copy_job(std::move(route));
        case Endpoint::change_matching:
            co_return co_await change_matching(std::move(route));
        case Endpoint::order_queue:
        case Endpoint::redirect_queue:
            co_return co_await order_queue(std::move(route));
        case Endpoint::why_job:
            co_return co_await why_job(route.job);
        case Endpoint::job_log:
            co_return co_await job_log(route.job);
        case Endpoint::job_ledger:
        case Endpoint::job_ledger_csv:
            co_return co_await job_ledger(std::move(route));
        case Endpoint::metrics:
            co_return co_await show_metrics();
        case Endpoint::ppd:
            co_return show_ppd(route);
        case Endpoint::submit_job:
        case Endpoint::ipp:
            break;
    }
    co_return error_reply(500, "a submission has a body");
}

ApiReply ApiHandlers::show_ppd(const Route& route) const {
    if (service_.queue(route.queue) == nullptr)
        return error_reply(404, "there is no queue '" + printable(route.queue) + "'");
    return {200, ipp::make_ppd(route.queue), {}, "application/vnd.cups-ppd"};
}

ApiReply ApiHandlers::list_queues() const {
    const std::vector<JobSnapshot> jobs = service_.list({});
    json::array list;
    for (const queues::Queue& queue : service_.queues()) list.emplace_back(json_of(queue, jobs));
    json::object object;
    object["queues"] = std::move(list);
    return json_reply(object);
}

asio::awaitable<ApiReply> ApiHandlers::list_jobs(Route route) {
    const auto queue_parameter = route.query.find("queue");
    const std::string queue = queue_parameter == route.query.end() ? "" : queue_parameter->second;
    if (!queue.empty() && service_.queue(queue) == nullptr)
        co_return error_reply(404, "there is no queue '" + printable(queue) + "'");
    std::optional<queues::JobState> state;
    if (const auto word = route.query.find("state"); word != route.query.end()) {
        state = queues::parse_job_state(word->second);
        if (!state) co_return error_reply(400, "'" + printable(word->second) + "' is not a job state");
    }
    const auto finished_parameter = route.query.find("finished");
    const std::string finished_word = finished_parameter == route.query.end() ? "0" : finished_parameter->second;
    if (finished_word != "0" && finished_word != "1") co_return error_reply(400, "finished is 0 or 1");

    std::vector<JobSnapshot> jobs = service_.list(queue);
    const std::vector<std::optional<queues::Waiting>> why = service_.explain_waiting(jobs);
    if (finished_word == "1" || (state && queues::is_finished(*state))) {
        using Jobs = std::vector<JobSnapshot>;
        std::function<void(std::function<void(Result<Jobs>)>)> ask = [this,
                                                                      &queue](std::function<void(Result<Jobs>)> done) {
            service_.list_finished(queue, finished_limit, std::move(done));
        };
        Result<Jobs> finished = co_await spooler::wait_for<Jobs>(std::move(ask));
        if (!finished) co_return error_reply(finished.error());
        jobs.insert(jobs.end(), finished->begin(), finished->end());
    }
    json::array list;
    for (std::size_t i = 0; i < jobs.size(); ++i)
        if (!state || jobs[i].state == *state)
            list.emplace_back(json_of(jobs[i], i < why.size() ? why[i] : std::nullopt));
    json::object object;
    object["jobs"] = std::move(list);
    co_return json_reply(object);
}

asio::awaitable<Result<JobSnapshot>> ApiHandlers::find_job(JobId id) {
    std::function<void(std::function<void(Result<JobSnapshot>)>)> ask =
        [this, id](std::function<void(Result<JobSnapshot>)> done) { service_.find_any(id, std::move(done)); };
    co_return co_await spooler::wait_for<JobSnapshot>(std::move(ask));
}

asio::awaitable<ApiReply> ApiHandlers::show_job(JobId id, unsigned status) {
    Result<JobSnapshot> job = co_await find_job(id);
    if (!job) co_return error_reply(job.error());
    co_return json_reply(json_of(*job, service_.why(id)), status);
}

asio::awaitable<ApiReply> ApiHandlers::why_job(JobId id) {
    Result<JobSnapshot> job = co_await find_job(id);
    if (!job) co_return error_reply(job.error());
    json::object object;
    object["id"] = id.value;
    object["state"] = queues::name_of(job->state);
    object["why"] = json_of(service_.why(id));
    co_return json_reply(object);
}

asio::awaitable<ApiReply> ApiHandlers::job_log(JobId id) {
    Result<JobSnapshot> job = co_await find_job(id);
    if (!job) co_return error_reply(job.error());
    using Events = std::vector<queues::EventRecord>;
    std::function<void(std::function<void(Result<Events>)>)> ask =
        [this, id](std::function<void(Result<Events>)> done) { service_.history(id, std::move(done)); };
    Result<Events> events = co_await spooler::wait_for<Events>(std::move(ask));
    if (!events) co_return error_reply(events.error());
    json::array list;
    for (const queues::EventRecord& event : *events) list.emplace_back(json_of(event));
    json::object object;
    object["id"] = id.value;
    object["events"] = std::move(list);
    co_return json_reply(object);
}

asio::awaitable<ApiReply> ApiHandlers::explain_job(JobId id) {
    Result<JobSnapshot> job = co_await find_job(id);
    if (!job) co_return error_reply(job.error());
    const JobSnapshot& snapshot = *job;
    auto work = [this, &snapshot] { return explainer_(snapshot); };
    Result<std::string> text = co_await spooler::on_pool(pool_, work);
    ApiReply reply;
    if (text)
        reply.body = std::move(*text);
    else
        reply = error_reply(text.error());
    co_return reply;
}

asio::awaitable<tl::expected<std::unique_ptr<Upload>, ApiReply>> ApiHandlers::begin_upload(
    Route route, std::string peer, std::optional<std::uint64_t> length_bytes) {
    using Begun = tl::expected<std::unique_ptr<Upload>, ApiReply>;
    const auto queue = service_.accepting_queue(route.queue);
    const auto wishes = read_wishes(route);
    std::optional<ApiReply> refusal;
    if (!queue)
        refusal = error_reply(queue.error());
    else if (!wishes)
        refusal = error_reply(wishes.error());
    else if (length_bytes == std::uint64_t{0})
        refusal = error_reply(400, "the document is empty");
    if (refusal) {
        Begun refused = tl::unexpected(std::move(*refusal));
        co_return refused;
    }
    queues::NewJob job = *wishes;
    job.queue = route.queue;
    job.title = parameter(route, "title");
    job.user = parameter(route, "user");
    job.host = parameter(route, "host", std::move(peer));
    job.door = "http";
    auto upload = std::make_unique<Upload>(spool_, pool_, std::move(job));
    Result<void> opened = co_await upload->open(length_bytes.value_or(0));
    Begun begun = std::move(upload);
    if (!opened) begun = tl::unexpected(error_reply(opened.error()));
    co_return begun;
}

asio::awaitable<ApiReply> ApiHandlers::finish_upload(std::unique_ptr<Upload> upload) {
    Result<queues::NewJob> job = co_await upload->commit();
    if (!job) co_return error_reply(job.error());
    const spooler::Submission to{service_, spool_, pool_};
    Result<JobId> id = co_await spooler::submit_job(to, std::move(*job));
    if (!id) co_return error_reply(id.error());
    co_return co_await show_job(*id, 201);
}

}  // namespace opispool::http
