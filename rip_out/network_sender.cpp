// SPDX-License-Identifier: AGPL-3.0-or-later
#include "rip_out/network_sender.h"

#include <utility>

#include "base/text.h"
#include "rip_out/on_pool.h"
#include "rip_out/send_report.h"

namespace opispool::rip_out {

namespace asio = boost::asio;

NetworkSender::NetworkSender(SenderSettings settings, Destination destination, asio::any_io_executor loop,
                             asio::any_io_executor pool)
    : settings_(std::move(settings)),
      destination_(std::move(destination)),
      loop_(std::move(loop)),
      pool_(std::move(pool)) {}

asio::awaitable<Result<void>> NetworkSender::check_sources_on_pool(std::shared_ptr<const opi::SplicePlan> plan) {
    auto check = [plan] { return opi::check_sources(*plan); };
    co_return co_await on_pool(pool_, std::move(check));
}

asio::awaitable<SendResult> NetworkSender::send(std::shared_ptr<const opi::SplicePlan> plan, JobTicket ticket,
                                                Hooks hooks) {
    auto attempt = std::make_shared<Attempt>();
    attempt->plan = plan;
    attempt->ticket = std::move(ticket);
    attempt->hooks = std::move(hooks);
    attempt->progress = std::make_shared<ProgressMeter>(attempt->hooks.progress);
    // An LPD count of 0 means "until the end", and a RIP that gets nothing may wait for ever.
    if (plan->total_bytes() == 0)
        co_return report(Outcome::source_failed, 0, "the job is empty; there is nothing to send");
    running_ = attempt;
    const Result<void> sources = co_await check_sources_on_pool(plan);
    SendResult result;
    if (!sources)
        result = report_source(*plan, 0, sources.error());
    else
        result = co_await deliver(attempt);
    if (attempt->connection) attempt->connection->close();
    result.messages = attempt->messages.kept();
    if (running_ == attempt) running_.reset();
    co_return result;
}

void NetworkSender::stop() {
    if (!running_) return;
    running_->stopped = true;
    if (running_->connection) running_->connection->stop();
}

asio::awaitable<std::optional<SendResult>> NetworkSender::open(AttemptPtr attempt) {
    if (attempt->connection) attempt->connection->close();
    const Connection::Milliseconds stall(settings_.stall_timeout_ms), limit(settings_.connect_timeout_ms);
    attempt->connection = std::make_shared<Connection>(loop_, stall);
    if (attempt->stopped) attempt->connection->stop();
    const Result<void> connected =
        co_await attempt->connection->connect(destination_, limit, settings_.lpd_reserved_port);
    if (connected) co_return std::nullopt;
    if (connected.error().code == Code::canceled)
        co_return report(Outcome::canceled, 0, "canceled before a byte was sent");
    co_return report(Outcome::not_started, 0,
                     "no connection to " + connected.error().where + ": " + connected.error().text);
}

asio::awaitable<std::optional<SendResult>> NetworkSender::begin(AttemptPtr attempt) {
    bool go = true;
    if (attempt->hooks.before_first_byte) go = co_await attempt->hooks.before_first_byte();
    if (go && !attempt->stopped) co_return std::nullopt;
    co_return report(Outcome::canceled, 0,
                     go ? "canceled before a byte was sent" : "not sent: the start of sending could not be recorded");
}

SendResult NetworkSender::with_earlier_parts(const Attempt& attempt, SendResult part) {
    return attempt.before_bytes == 0 ? part : report_later_part(std::move(part), attempt.before_bytes);
}

asio::awaitable<std::optional<SendResult>> NetworkSender::write_job(AttemptPtr attempt) {
    for (;;) {
        const auto broken = co_await write_part(attempt);
        if (broken) co_return with_earlier_parts(*attempt, *broken);
        if (!attempt->hooks.next_plan) co_return std::nullopt;
        auto next = co_await attempt->hooks.next_plan();
        if (next && !*next) co_return std::nullopt;
        const std::uint64_t sent_bytes = attempt->before_bytes + attempt->plan->total_bytes();
        if (next && !attempt->stopped) {
            attempt->before_bytes = sent_bytes;
            attempt->plan = std::move(*next);
            continue;
        }
        attempt->connection->reset();
        if (attempt->stopped)
            co_return report(Outcome::canceled, sent_bytes,
                             "canceled after " + std::to_string(sent_bytes) + " bytes; the RIP may print part of it");
        co_return report(Outcome::source_failed, sent_bytes, next.error().text);
    }
}

asio::awaitable<std::optional<SendResult>> NetworkSender::write_part(AttemptPtr attempt) {
    const PlanWritten written =
        co_await write_plan(attempt->connection, attempt->plan, pool_, attempt->progress, attempt->before_bytes);
    if (written.end == Connection::End::halted) co_return report(Outcome::rip_error, written.sent_bytes, {});
    if (written.source_error || written.end != Connection::End::ok) {
        attempt->connection->reset();
        co_return report_broken(*attempt->plan, written, destination_.peer(), attempt->connection->last_error());
    }
    const Result<void> sources = co_await check_sources_on_pool(attempt->plan);
    if (sources) co_return std::nullopt;
    attempt->connection->reset();
    co_return report_source(*attempt->plan, written.sent_bytes, sources.error());
}

}  // namespace opispool::rip_out
