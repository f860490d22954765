// SPDX-License-Identifier: AGPL-3.0-or-later
#include "rip_out/connection.h"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>

#include "base/log.h"

namespace opispool::rip_out {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;

constexpr auto token = asio::as_tuple(asio::use_awaitable);
constexpr std::uint16_t first_reserved_port = 721, last_reserved_port = 731;

// How far the kernel is with our bytes. There is no event for "acknowledged", so finish() asks.
struct KernelView {
    bool end_acknowledged = false;  // our half-close, hence everything before it
    bool closed = false;            // both sides are done, or the connection broke
    int unacknowledged_bytes = 0;
};

KernelView ask_kernel(int fd) {
    KernelView view;
    tcp_info info{};
    socklen_t length = sizeof info;
    if (::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return view;
    view.closed = info.tcpi_state == TCP_CLOSE;
    view.end_acknowledged = info.tcpi_state == TCP_FIN_WAIT2 || info.tcpi_state == TCP_TIME_WAIT;
    ::ioctl(fd, SIOCOUTQ, &view.unacknowledged_bytes);
    return view;
}

error_code pending_error(int fd) {
    int value = 0;
    socklen_t length = sizeof value;
    if (::getsockopt(fd, SOL_SOCKET, SO_ERROR, &value, &length) != 0) value = errno;
    return error_code(value, boost::system::system_category());
}

Error connect_error(const error_code& error, std::string peer) {
    Code code = Code::disconnected;
    if (error == asio::error::connection_refused) code = Code::refused;
    if (error == asio::error::timed_out) code = Code::timeout;
    if (error == asio::error::operation_aborted) code = Code::canceled;
    return Error{code, Operation::connect, error.message(), std::move(peer), std::nullopt};
}

void log_reader_failure(std::exception_ptr failure) {
    if (!failure) return;
    try {
        std::rethrow_exception(failure);
    } catch (const std::exception& error) {
        log_event(LogLevel::error, "rip_out.reader_failed", {{"what", error.what()}});
    }
}

}  // namespace

Connection::Connection(asio::any_io_executor loop, Milliseconds stall_timeout)
    : loop_(loop),
      socket_(loop),
      changed_(loop),
      deadline_(loop,
                [this] {
                    error_code ignored;
                    socket_.cancel(ignored);
                    wake();
                }),
      stall_timeout_(stall_timeout) {}

asio::awaitable<Result<std::vector<tcp::endpoint>>> Connection::resolve(Destination to, Milliseconds limit) {
    std::vector<tcp::endpoint> endpoints;
    error_code not_literal;
    const auto address = asio::ip::make_address(to.host, not_literal);
    if (!not_literal) {
        endpoints.emplace_back(address, to.port);
        co_return endpoints;
    }
    // The look-up itself can't be interrupted, only left behind; so it reports into a box of its own.
    struct Lookup {
        explicit Lookup(const asio::any_io_executor& loop) : resolver(loop) {}
        tcp::resolver resolver;
        std::optional<error_code> end;
        std::vector<tcp::endpoint> found;
    };
    auto lookup = std::make_shared<Lookup>(loop_);
    auto done = [lookup, self = weak_from_this()](const error_code& error, const tcp::resolver::results_type& results) {
        lookup->end = error;
        for (const auto& entry : results) lookup->found.push_back(entry.endpoint());
        if (auto connection = self.lock()) connection->wake();
    };
    lookup->resolver.async_resolve(to.host, std::to_string(to.port), std::move(done));
    const auto due = Clock::now() + limit;
    while (!lookup->end && !stopped_ && Clock::now() < due) {
        const auto left = std::chrono::ceil<Milliseconds>(due - Clock::now());
        co_await wait_change(left);
    }
    if (stopped_) co_return fail(Code::canceled, Operation::connect, "canceled", to.peer());
    if (!lookup->end)
        co_return fail(Code::timeout, Operation::connect, "looking up the host name took too long", to.peer());
    if (*lookup->end || lookup->found.empty())
        co_return fail(Code::not_found, Operation::connect, "the host name is not known: " + lookup->end->message(),
                       to.peer());
    co_return lookup->found;
}

asio::awaitable<error_code> Connection::try_connect(tcp::endpoint peer, std::uint16_t own_port, Milliseconds timeout) {
    error_code error;
    socket_.close(error);
    socket_.open(peer.protocol(), error);
    if (!error && own_port != 0) socket_.bind(tcp::endpoint(peer.protocol(), own_port), error);
    if (error) co_return error;
    Deadline limit(loop_, [this] {
        error_code ignored;
        socket_.cancel(ignored);
    });
    limit.arm(timeout);
    auto [result] = co_await socket_.async_connect(peer, token);
    if (limit.expired() && result) co_return error_code(asio::error::timed_out);
    co_return result;
}

asio::awaitable<error_code> Connection::connect_to(tcp::endpoint peer, Milliseconds timeout, bool reserved_port) {
    for (std::uint16_t port = first_reserved_port; reserved_port && port <= last_reserved_port; ++port) {
        const error_code error = co_await try_connect(peer, port, timeout);
        if (error == asio::error::access_denied) break;
        const bool taken = error == asio::error::address_in_use || error == boost::system::errc::address_not_available;
        if (!taken || stopped_) co_return error;
    }
    co_return co_await try_connect(peer, 0, timeout);
}

asio::awaitable<Result<void>> Connection::connect(Destination to, Milliseconds timeout, bool reserved_port) {
    const auto endpoints = co_await resolve(to, timeout);
    if (!endpoints) co_return fail(endpoints.error());
    error_code error = asio::error::host_not_found;
    for (const tcp::endpoint& endpoint : *endpoints) {
        if (stopped_) break;
        error = co_await connect_to(endpoint, timeout, reserved_port);
        if (!error) break;
    }
    if (stopped_) co_return fail(Code::canceled, Operation::connect, "canceled", to.peer());
    if (error) co_return fail(connect_error(error, to.peer()));
    error_code ignored;
    socket_.set_option(tcp::no_delay(true), ignored);
    socket_.set_option(asio::socket_base::keep_alive(true), ignored);
    co_return Result<void>();
}

void Connection::start_reading(std::function<void(std::string_view)> on_bytes) {
    on_bytes_ = std::move(on_bytes);
    asio::co_spawn(loop_, read_loop(shared_from_this()), log_reader_failure);
}

asio::awaitable<void> Connection::read_loop(std::shared_ptr<Connection> self) {
    while (!self->input_end_) {
        auto [error, count] = co_await self->socket_.async_read_some(asio::buffer(self->input_), token);
        if (count > 0) {
            self->read_bytes_ += count;
            self->deadline_.touch();
            // A copy: the callback may close the connection, which lets go of the member.
            const auto on_bytes = self->on_bytes_;
            if (on_bytes) on_bytes(std::string_view(self->input_.data(), count));
        }
        if (error) self->input_end_ = error;
        self->wake();
    }
}

bool Connection::input_ended_cleanly() const {
    return !broken_ && input_end_ && *input_end_ == asio::error::eof;
}

Connection::End Connection::why_stopped() const {
    if (stopped_) return End::canceled;
    if (halted_) return End::halted;
    return deadline_.expired() ? End::stalled : End::ok;
}

Connection::End Connection::lost(const error_code& error) {
    last_error_ = error == asio::error::eof ? "the RIP closed it" : error.message();
    return End::lost;
}

Connection::End Connection::broken(const error_code& error) {
    const End asked = why_stopped();
    if (asked != End::ok) return asked;
    broken_ = true;
    return lost(error);
}

Connection::End Connection::send_failed(int errno_value) {
    return broken(error_code(errno_value, boost::system::system_category()));
}

asio::awaitable<Connection::End> Connection::wait_writable() {
    if (const End asked = why_stopped(); asked != End::ok) co_return asked;
    deadline_.arm(stall_timeout_);
    auto [error] = co_await socket_.async_wait(tcp::socket::wait_write, token);
    deadline_.disarm();
    if (error) co_return broken(error);
    co_return why_stopped();
}

asio::awaitable<Connection::End> Connection::write_all(std::string bytes) {
    std::size_t done = 0;
    while (done < bytes.size()) {
        if (const End asked = why_stopped(); asked != End::ok) co_return asked;
        deadline_.arm(stall_timeout_);
        const asio::const_buffer rest = asio::buffer(bytes) + done;
        auto [error, count] = co_await socket_.async_write_some(rest, token);
        deadline_.disarm();
        done += count;
        if (error) co_return broken(error);
    }
    co_return End::ok;
}

std::optional<Connection::End> Connection::finished(bool wait_for_close, bool acknowledged, bool closed) {
    if (stopped_) return End::canceled;
    if (deadline_.expired()) return End::stalled;
    if (broken_) return End::lost;
    if (input_end_ && !input_ended_cleanly()) return lost(*input_end_);
    if (input_end_ && closed) {
        const error_code broken = pending_error(socket_.native_handle());
        return broken ? lost(broken) : End::ok;
    }
    if (acknowledged && !wait_for_close) return End::ok;
    return std::nullopt;
}

asio::awaitable<Connection::End> Connection::finish(bool wait_for_close, Milliseconds limit) {
    error_code error;
    socket_.shutdown(tcp::socket::shutdown_send, error);
    if (error && !input_end_ && !stopped_) co_return lost(error);
    Milliseconds pause(2);
    auto last_life = Clock::now();
    std::uint64_t seen_bytes = read_bytes_;
    int seen_unacknowledged = -1;
    for (;;) {
        const KernelView view = ask_kernel(socket_.native_handle());
        if (const auto end = finished(wait_for_close, view.end_acknowledged, view.closed)) co_return *end;
        const auto now = Clock::now();
        if (read_bytes_ != seen_bytes || view.unacknowledged_bytes != seen_unacknowledged) last_life = now;
        seen_bytes = read_bytes_;
        seen_unacknowledged = view.unacknowledged_bytes;
        const auto left = std::chrono::ceil<Milliseconds>(limit - (now - last_life));
        if (left.count() <= 0) co_return view.end_acknowledged ? End::silent : End::stalled;
        const Milliseconds wait = std::min(pause, left);
        co_await wait_change(wait);
        pause = std::min(pause * 2, Milliseconds(500));
    }
}

asio::awaitable<void> Connection::wait_change(Milliseconds limit) {
    changed_.expires_after(limit);
    auto [ignored] = co_await changed_.async_wait(token);
    static_cast<void>(ignored);
}

void Connection::stop() {
    stopped_ = true;
    error_code ignored;
    socket_.cancel(ignored);
    wake();
}

void Connection::halt() {
    halted_ = true;
    error_code ignored;
    socket_.cancel(ignored);
    wake();
}

void Connection::close() {
    on_bytes_ = nullptr;
    error_code ignored;
    socket_.close(ignored);
    wake();
}

void Connection::reset() {
    error_code ignored;
    socket_.set_option(asio::socket_base::linger(true, 0), ignored);
    close();
}

}  // namespace opispool::rip_out
