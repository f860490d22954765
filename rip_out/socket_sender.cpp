// SPDX-License-Identifier: AGPL-3.0-or-later
#include "rip_out/socket_sender.h"

#include <utility>

#include "rip_out/send_report.h"

namespace opispool::rip_out {

namespace {

namespace asio = boost::asio;

// The back channel of one connection. After a failure the rest of the job is useless to the RIP, so the transfer halts.
void listen(const std::shared_ptr<RipMessageParser>& parser, RipMessageLog& messages, Connection& connection,
            std::string_view bytes) {
    bool failed = false;
    for (RipMessage& message : parser->feed(bytes)) {
        failed = failed || message.fails_job();
        messages.add(std::move(message));
    }
    if (failed) connection.halt();
}

void hear_last_words(RipMessageParser& parser, RipMessageLog& messages) {
    for (RipMessage& message : parser.finish()) messages.add(std::move(message));
}

}  // namespace

asio::awaitable<SendResult> SocketSender::deliver(AttemptPtr attempt) {
    if (auto failed = co_await open(attempt)) co_return std::move(*failed);
    auto parser = std::make_shared<RipMessageParser>();
    // Raw pointers: the callback dies with close(), before the attempt does.
    auto heard = [parser, job = attempt.get(), connection = attempt->connection.get()](std::string_view bytes) {
        listen(parser, job->messages, *connection, bytes);
    };
    attempt->connection->start_reading(std::move(heard));
    if (auto stopped = co_await begin(attempt)) co_return std::move(*stopped);

    const auto broken = co_await write_job(attempt);
    SendResult result;
    if (broken)
        result = *broken;
    else
        result = co_await wait_for_end(attempt);
    hear_last_words(*parser, attempt->messages);
    const RipMessage* failure = attempt->messages.failure();
    // What the RIP says about the job counts more than how the connection ended, except where we spoilt the job
    // ourselves.
    if (failure != nullptr && result.outcome != Outcome::source_failed && result.outcome != Outcome::canceled)
        result = with_earlier_parts(
            *attempt, report_rip_error(*attempt->plan, result.sent_bytes - attempt->before_bytes, *failure));
    co_return result;
}

asio::awaitable<SendResult> SocketSender::wait_for_end(AttemptPtr attempt) {
    using End = Connection::End;
    const std::uint64_t total = attempt->before_bytes + attempt->plan->total_bytes();
    Connection& connection = *attempt->connection;
    End end = End::ok;
    if (settings().send_ctrl_d) {
        const std::string ctrl_d(1, '\x04');
        end = co_await connection.write_all(ctrl_d);
    }
    const Connection::Milliseconds limit(settings().end_timeout_ms);
    if (end == End::ok || end == End::halted) end = co_await connection.finish(settings().wait_for_close, limit);
    switch (end) {
        case End::ok:
            co_return report(Outcome::delivered, total, "sent " + std::to_string(total) + " bytes");
        case End::silent:
            co_return report(
                Outcome::delivered, total,
                "sent " + std::to_string(total) + " bytes; the RIP took all of them but did not close the connection");
        case End::canceled:
            connection.reset();
            co_return report(Outcome::canceled, total, "canceled after the whole job was sent; the RIP may print it");
        case End::stalled:
            connection.reset();
            co_return report(
                Outcome::interrupted, total,
                "the RIP stopped taking data near the end of the job; it may have printed part of it: check before "
                "sending again");
        default:
            co_return report(Outcome::interrupted, total,
                             "connection lost after the last byte was sent, before the RIP confirmed the end: " +
                                 connection.last_error() + "; it may have printed the job: check before sending again");
    }
}

}  // namespace opispool::rip_out
