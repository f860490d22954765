// SPDX-License-Identifier: AGPL-3.0-or-later
// ApiHandlers: what people tell jobs and queues.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <functional>
#include <utility>

#include "base/text.h"
#include "spooler/http/api_handlers.h"
#include "spooler/http/api_json.h"
#include "spooler/http/api_parameters.h"
#include "spooler/intake/intake.h"
#include "spooler/workers.h"

namespace opispool::http {

namespace asio = boost::asio;
namespace json = boost::json;
using queues::JobId;
using queues::JobSnapshot;

asio::awaitable<ApiReply> ApiHandlers::change_job(Route route) {
    const auto request = read_verb(route);
    if (!request) co_return error_reply(request.error());
    std::function<void(std::function<void(Result<void>)>)> change = [&](std::function<void(Result<void>)> done) {
        service_.operate(route.job, *request, std::move(done));
    };
    Result<void> changed = co_await spooler::wait_for<void>(std::move(change));
    if (!changed) co_return error_reply(changed.error());
    co_return co_await show_job(route.job, 200);
}

asio::awaitable<ApiReply> ApiHandlers::copy_job(Route route) {
    Result<JobSnapshot> job = co_await find_job(route.job);
    if (!job) co_return error_reply(job.error());
    const std::string original = job->spool_file;
    const bool whole = job->size_bytes > 0;
    auto link = [this, original, whole]() -> Result<std::string> {
        if (!whole || !spool_.job_exists(original))
            return fail(Code::not_permitted, Operation::execute,
                        "its document is not here as a whole; it can't be copied. Send it again");
        return spool_.link_job(original);
    };
    Result<std::string> file = co_await spooler::on_pool(pool_, std::move(link));
    if (!file) co_return error_reply(file.error());
    std::function<void(std::function<void(Result<JobId>)>)> copy = [&](std::function<void(Result<JobId>)> done) {
        service_.copy(route.job, parameter(route, "queue"), *file, parameter(route, "by", "http"), std::move(done));
    };
    Result<JobId> made = co_await spooler::wait_for<JobId>(std::move(copy));
    if (made) co_return co_await show_job(*made, 201);
    const spooler::Submission to{service_, spool_, pool_};
    co_await spooler::remove_document(to, *file);
    co_return error_reply(made.error());
}

asio::awaitable<ApiReply> ApiHandlers::change_matching(Route route) {
    const queues::JobPattern pattern{parameter(route, "title"), parameter(route, "user"), parameter(route, "queue")};
    if (pattern.empty())
        co_return error_reply(400, "say which jobs: title=, user= or queue=, with * and ? for any characters");
    const auto request = read_verb(route);
    if (!request) co_return error_reply(request.error());
    using Outcomes = std::vector<queues::VerbOutcome>;
    std::function<void(std::function<void(Result<Outcomes>)>)> change =
        [&](std::function<void(Result<Outcomes>)> done) {
            service_.operate_matching(pattern, *request, [done](Outcomes outcomes) { done(std::move(outcomes)); });
        };
    Result<Outcomes> outcomes = co_await spooler::wait_for<Outcomes>(std::move(change));
    if (!outcomes) co_return error_reply(outcomes.error());
    json::array jobs, refused;
    for (const queues::VerbOutcome& one : *outcomes) {
        const auto job = service_.find(one.id);
        if (one.result && job) {
            jobs.emplace_back(json_of(*job, std::nullopt));
        } else if (!one.result) {
            json::object refusal = json_of_error(one.result.error().text);
            refusal["id"] = one.id.value;
            refused.emplace_back(std::move(refusal));
        }
    }
    json::object object;
    object["jobs"] = std::move(jobs);
    object["refused"] = std::move(refused);
    co_return json_reply(object);
}

asio::awaitable<ApiReply> ApiHandlers::order_queue(Route route) {
    const std::string actor = parameter(route, "by", "http");
    std::function<void(std::function<void(Result<void>)>)> order = [&](std::function<void(Result<void>)> done) {
        if (route.endpoint == Endpoint::redirect_queue)
            return service_.redirect(route.queue, parameter(route, "to"), actor, std::move(done));
        service_.set_switch(route.queue, route.order, route.on, actor, std::move(done));
    };
    Result<void> given = co_await spooler::wait_for<void>(std::move(order));
    if (!given) co_return error_reply(given.error());
    const std::vector<JobSnapshot> jobs = service_.list(route.queue);
    co_return json_reply(json_of(*service_.queue(route.queue), jobs));
}

}  // namespace opispool::http
