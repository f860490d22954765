// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/intake/socket_server.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "spooler/intake/early_job.h"
#include "spooler/intake/first_bytes.h"
#include "spooler/log_events.h"

namespace opispool::spooler {

namespace asio = boost::asio;

namespace {

class SocketSession {
  public:
    SocketSession(Intake& intake, std::string queue, std::shared_ptr<Connection> connection)
        : intake_(intake),
          queue_(std::move(queue)),
          connection_(std::move(connection)),
          writer_(intake.spool, intake.pool),
          buffer_(std::make_unique_for_overwrite<std::byte[]>(SpoolWriter::window_bytes)) {}

    asio::awaitable<void> run();

  private:
    // returns  the bytes at hand are the beginning of a document
    asio::awaitable<bool> read_beginning();
    asio::awaitable<bool> read_rest();
    // The document may be printed while it arrives. What can't be stored is no reason to lose it: it prints when whole.
    asio::awaitable<bool> begin_early();
    asio::awaitable<void> finish();
    asio::awaitable<void> finish_early(TailVerdict verdict);
    queues::NewJob new_job() const;
    std::span<std::byte> room() { return {buffer_.get() + filled_, SpoolWriter::window_bytes - filled_}; }
    void log(LogLevel level, std::string_view event, std::string why);

    Intake& intake_;
    std::string queue_;
    std::shared_ptr<Connection> connection_;
    SpoolWriter writer_;
    std::unique_ptr<std::byte[]> buffer_;
    std::size_t filled_ = 0;
    std::optional<EarlyJob> early_;
    std::string title_, user_;  // this protocol has no words for them, the document may
    Connection::End end_ = Connection::End::none;
};

void SocketSession::log(LogLevel level, std::string_view event, std::string why) {
    log_event(level, event,
              {{"door", "socket"},
               {"queue", queue_},
               {"peer", connection_->peer()},
               {"bytes", std::to_string(writer_.size_bytes())},
               {"why", std::move(why)}});
}

asio::awaitable<void> SocketSession::run() {
    const queues::Queue* queue = intake_.queues.queue(queue_);
    if (queue == nullptr || !queue->accepting) {
        log(LogLevel::warning, log_id::intake_refused, "the queue does not accept jobs");
        connection_->reset();
        co_return;
    }
    const bool is_document = co_await read_beginning();
    if (!is_document) co_return;
    const Result<void> opened = co_await writer_.open();
    if (!opened) {
        log(LogLevel::error, log_id::intake_refused, describe(opened.error()));
        connection_->reset();
        co_return;
    }
    const bool whole = co_await read_rest();
    if (whole) co_await finish();
}

asio::awaitable<bool> SocketSession::read_beginning() {
    Sniffed sniffed = Sniffed::need_more;
    while (sniffed == Sniffed::need_more && end_ == Connection::End::none) {
        const Connection::Read read = co_await connection_->read(room());
        filled_ += read.bytes;
        end_ = read.end;
        const std::span<const std::byte> first(buffer_.get(), std::min(filled_, sniff_bytes));
        sniffed = sniff(first);
    }
    const std::span<const std::byte> beginning(buffer_.get(), filled_);
    title_ = find_header_comment(beginning, "%%Title:");
    user_ = find_header_comment(beginning, "%%For:");
    if (sniffed == Sniffed::document) co_return true;
    // Port scanners open and close; that is not worth a line.
    if (filled_ > 0) log(LogLevel::warning, log_id::intake_refused, "not PostScript, nothing is printed");
    connection_->close();
    co_return false;
}

asio::awaitable<bool> SocketSession::read_rest() {
    for (;;) {
        const std::span<const std::byte> window(buffer_.get(), filled_);
        const Result<void> written = co_await writer_.append(window);
        filled_ = 0;
        if (!written) {
            log(LogLevel::error, log_id::intake_discarded, describe(written.error()));
            if (early_) co_await early_->break_off(describe(written.error()));
            connection_->reset();
            co_return false;
        }
        if (end_ != Connection::End::none) break;
        const bool begun = co_await begin_early();
        if (!begun) co_return false;
        if (early_) early_->grew();
        const Connection::Read read = co_await connection_->read(room());
        filled_ = read.bytes;
        end_ = read.end;
        if (end_ == Connection::End::closed || end_ == Connection::End::timed_out) break;
        if (end_ == Connection::End::broken) {
            log(LogLevel::warning, log_id::intake_discarded,
                early_ ? "the connection broke" : "the connection broke; nothing is printed");
            if (early_) co_await early_->break_off("the connection broke");
            co_return false;
        }
    }
    co_return end_ != Connection::End::broken;
}

asio::awaitable<bool> SocketSession::begin_early() {
    const QueueConfig* queue = intake_.config.queue(queue_);
    if (early_ || queue == nullptr || !queue->early_start) co_return true;
    early_.emplace(intake_.queues, intake_.arrivals, writer_);
    const Result<void> begun = co_await early_->begin(new_job());
    if (begun) co_return true;
    log(LogLevel::error, log_id::intake_discarded, describe(begun.error()));
    connection_->reset();
    co_return false;
}

queues::NewJob SocketSession::new_job() const {
    queues::NewJob job;
    job.queue = queue_;
    job.title = title_.empty() ? std::string("AppSocket job") : title_;
    job.user = user_.empty() ? std::string("unknown") : user_;
    job.host = connection_->peer();
    job.door = "socket";
    return job;
}

asio::awaitable<void> SocketSession::finish_early(TailVerdict verdict) {
    const bool silent = end_ == Connection::End::timed_out;
    if (verdict.tail == TailVerdict::Tail::cut_off || (silent && verdict.tail != TailVerdict::Tail::complete)) {
        const std::string why = silent ? "the client fell silent; " + verdict.reason : verdict.reason;
        co_await early_->break_off(why);
        connection_->close();
        co_return;
    }
    const Result<queues::JobId> id = co_await early_->complete();
    if (!id) log(LogLevel::error, log_id::intake_discarded, describe(id.error()));
    if (id)
        connection_->close();
    else
        connection_->reset();
}

asio::awaitable<void> SocketSession::finish() {
    const Result<TailVerdict> verdict =
        co_await check_tail_of(intake_, writer_.path(), early_ ? early_->closed_bytes() : 0);
    if (early_ && verdict) co_return co_await finish_early(*verdict);
    if (early_) co_await early_->break_off(describe(verdict.error()));
    const std::uint64_t size_bytes = writer_.size_bytes();
    Result<std::string> name;
    if (verdict) name = co_await writer_.commit();
    if (!verdict || !name) {
        log(LogLevel::error, log_id::intake_discarded, describe(verdict ? name.error() : verdict.error()));
        connection_->reset();
        co_return;
    }
    queues::NewJob job = new_job();
    job.spool_file = *name;
    job.size_bytes = size_bytes;
    const bool silent = end_ == Connection::End::timed_out;
    job.hold = verdict->tail == TailVerdict::Tail::cut_off || (silent && verdict->tail != TailVerdict::Tail::complete);
    if (job.hold) {
        job.hold_reason = std::string(silent ? "incomplete: the client fell silent" : "possibly truncated") + "; " +
                          verdict->reason + ". Release it to print it as it is, or cancel it and send it again";
    }
    const Result<queues::JobId> id = co_await submit_job(intake_, job);
    // Closing tells the client "spooled"; a reset tells it that the document is lost.
    if (id)
        connection_->close();
    else
        connection_->reset();
}

// A coroutine of its own, so that the session lives as long as its run().
asio::awaitable<void> serve(Intake& intake, std::string queue, std::shared_ptr<Connection> connection) {
    SocketSession session(intake, std::move(queue), std::move(connection));
    co_await session.run();
}

}  // namespace

SocketServer::SocketServer(Intake& intake, const QueueConfig& queue)
    : listener_(intake.loop, "socket", *queue.socket, intake.config.intake,
                [&intake, name = queue.name](std::shared_ptr<Connection> connection) {
                    return serve(intake, name, std::move(connection));
                }) {}

}  // namespace opispool::spooler
