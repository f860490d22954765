// SPDX-License-Identifier: AGPL-3.0-or-later
// ApiHandlers: ledgers and metrics.
#include <functional>
#include <utility>

#include "spooler/http/api_handlers.h"
#include "spooler/http/ledger_text.h"
#include "spooler/workers.h"

namespace opispool::http {

namespace asio = boost::asio;
using queues::JobId;
using queues::JobSnapshot;
using queues::Ledger;

namespace {

asio::awaitable<Result<Ledger>> load_ledger(queues::QueueService& service, JobId id) {
    std::function<void(std::function<void(Result<Ledger>)>)> ask = [&service, id](queues::DoneWithLedger done) {
        service.ledger(id, std::move(done));
    };
    co_return co_await spooler::wait_for<Ledger>(std::move(ask));
}

}  // namespace

asio::awaitable<ApiReply> ApiHandlers::job_ledger(Route route) {
    Result<JobSnapshot> job = co_await find_job(route.job);
    if (!job) co_return error_reply(job.error());
    Result<Ledger> ledger = co_await load_ledger(service_, route.job);
    if (!ledger) co_return error_reply(ledger.error());
    if (route.endpoint == Endpoint::job_ledger) co_return json_reply(json_of(route.job, *ledger));
    ApiReply reply;
    reply.body = csv_of(*ledger);
    reply.content_type = "text/csv; charset=utf-8";
    co_return reply;
}

asio::awaitable<ApiReply> ApiHandlers::show_metrics() {
    Metrics::Now now;
    now.jobs = service_.list({});
    now.queues = service_.queues();
    for (const JobSnapshot& job : now.jobs) {
        if (job.state != queues::JobState::pending_held || job.cause != queues::Event::problem) continue;
        Result<Ledger> ledger = co_await load_ledger(service_, job.id);
        if (!ledger) co_return error_reply(ledger.error());
        for (const queues::LedgerEntry& entry : ledger->now) now.missing_references += entry.problem.empty() ? 0 : 1;
    }
    auto look = [this] { return spool_.free_bytes(); };
    Result<std::uint64_t> free_bytes = co_await spooler::on_pool(pool_, look);
    if (!free_bytes) co_return error_reply(free_bytes.error());
    now.spool_free_bytes = *free_bytes;
    ApiReply reply;
    reply.body = metrics_->text(now);
    reply.content_type = "text/plain; version=0.0.4; charset=utf-8";
    co_return reply;
}

}  // namespace opispool::http
