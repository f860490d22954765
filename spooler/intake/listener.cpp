// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/intake/listener.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "base/log.h"
#include "spooler/log_events.h"
#include "spooler/workers.h"

namespace opispool::spooler {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {
constexpr auto answer_with_code = asio::as_tuple(asio::use_awaitable);
}

Connection::Connection(tcp::socket socket, std::int64_t idle_timeout_ms)
    : socket_(std::move(socket)), timer_(socket_.get_executor()), idle_timeout_ms_(idle_timeout_ms) {
    error_code error;
    const auto endpoint = socket_.remote_endpoint(error);
    peer_ = error ? "unknown" : endpoint.address().to_string();
    socket_.non_blocking(true, error);
    socket_.set_option(tcp::no_delay(true), error);
    socket_.set_option(tcp::socket::keep_alive(true), error);
}

void Connection::arm() {
    auto expired = std::make_shared<bool>(false);
    expired_ = expired;
    timer_.expires_after(std::chrono::milliseconds(idle_timeout_ms_));
    timer_.async_wait([this, expired](const error_code& error) {
        // A timer that was armed again or canceled has nothing to say any more, even if it had already fired.
        if (error || expired.use_count() < 2) return;
        *expired = true;
        error_code ignored;
        socket_.cancel(ignored);
    });
}

asio::awaitable<Connection::Read> Connection::read(std::span<std::byte> buffer) {
    Read result;
    if (!socket_.is_open() || broken_) {
        result.end = End::broken;
        co_return result;
    }
    arm();
    const auto target = asio::buffer(buffer.data(), buffer.size());
    auto [error, count] = co_await socket_.async_read_some(target, answer_with_code);
    const bool expired = *expired_;
    expired_.reset();
    timer_.cancel();
    if (error) {
        result.end = expired ? End::timed_out : error == asio::error::eof ? End::closed : End::broken;
        co_return result;
    }
    result.bytes = count;
    while (result.bytes < buffer.size()) {
        error_code none;
        const auto rest = asio::buffer(buffer.data() + result.bytes, buffer.size() - result.bytes);
        const std::size_t more = socket_.read_some(rest, none);
        // Nothing there, or the end, which the next read tells again. A reset is told once: what came after it would
        // look like a clean end.
        broken_ = none && none != asio::error::would_block && none != asio::error::eof;
        if (none) break;
        result.bytes += more;
    }
    co_return result;
}

asio::awaitable<bool> Connection::write(std::string text) {
    std::size_t done = 0;
    while (done < text.size()) {
        if (!socket_.is_open()) co_return false;
        arm();
        const auto rest = asio::buffer(text.data() + done, text.size() - done);
        auto [error, count] = co_await socket_.async_write_some(rest, answer_with_code);
        expired_.reset();
        timer_.cancel();
        if (error) co_return false;
        done += count;
    }
    co_return true;
}

void Connection::close() {
    error_code ignored;
    socket_.shutdown(tcp::socket::shutdown_send, ignored);
    socket_.close(ignored);
}

void Connection::reset() {
    error_code ignored;
    socket_.set_option(tcp::socket::linger(true, 0), ignored);
    socket_.close(ignored);
}

void Connection::stop() {
    error_code ignored;
    timer_.cancel();
    socket_.close(ignored);
}

Listener::Listener(asio::any_io_executor loop, std::string door, ListenAddress address, IntakeLimits limits,
                   Session session)
    : loop_(std::move(loop)),
      door_(std::move(door)),
      address_(std::move(address)),
      limits_(limits),
      session_(std::move(session)),
      acceptor_(loop_),
      pause_(loop_) {}

Result<void> Listener::start() {
    error_code error;
    const auto address = asio::ip::make_address(address_.host, error);
    const tcp::endpoint endpoint(address, address_.port);
    if (!error) acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(tcp::acceptor::max_listen_connections, error);
    if (error) {
        return fail(Code::not_permitted, Operation::configure, "can't listen: " + error.message(),
                    door_ + " " + to_string(address_));
    }
    port_ = acceptor_.local_endpoint(error).port();
    log_event(LogLevel::info, log_id::listen_ready,
              {{"door", door_}, {"address", address_.host}, {"port", std::to_string(port_)}});
    asio::co_spawn(loop_, accept_loop(), log_exception("accept"));
    return {};
}

asio::awaitable<void> Listener::accept_loop() {
    while (acceptor_.is_open()) {
        auto [error, socket] = co_await acceptor_.async_accept(answer_with_code);
        if (!acceptor_.is_open()) break;
        if (!error) {
            serve(std::move(socket));
            continue;
        }
        // Out of descriptors or memory: the next try at once would only spin.
        log_event(LogLevel::error, log_id::listen_failed, {{"door", door_}, {"text", error.message()}});
        pause_.expires_after(std::chrono::milliseconds(200));
        co_await pause_.async_wait(answer_with_code);
    }
}

void Listener::serve(tcp::socket socket) {
    if (connections_.size() >= limits_.max_connections) {
        log_event(
            LogLevel::warning, log_id::intake_refused,
            {{"door", door_}, {"why", "too many connections"}, {"limit", std::to_string(limits_.max_connections)}});
        return;
    }
    auto connection = std::make_shared<Connection>(std::move(socket), limits_.idle_timeout_ms);
    connections_.insert(connection);
    auto ended = [this, connection](std::exception_ptr thrown) {
        log_exception("session")(thrown);
        connection->stop();
        connections_.erase(connection);
    };
    asio::co_spawn(loop_, session_(connection), ended);
}

void Listener::stop() {
    error_code ignored;
    acceptor_.close(ignored);
    pause_.cancel();
    for (const auto& connection : connections_) connection->stop();
}

}  // namespace opispool::spooler
