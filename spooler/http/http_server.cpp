// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/http/http_server.h"

#include <unistd.h>

#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>

#include "base/log.h"
#include "base/text.h"
#include "spooler/log_events.h"
#include "spooler/workers.h"

namespace opispool::http {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr auto with_error = asio::as_tuple(asio::use_awaitable);
constexpr std::chrono::milliseconds accept_pause{100};

std::string machine_name() {
    std::array<char, 256> name{};
    if (::gethostname(name.data(), name.size() - 1) != 0) return {};
    return name.data();
}

// The client learns why at once; if even this does not fit into its socket, closing must do.
void turn_away(tcp::socket& socket) {
    static constexpr std::string_view text =
        "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Type: application/json\r\n"
        "Content-Length: 34\r\n\r\n{\"error\":\"too many connections\"}\r\n";
    error_code ignored;
    socket.non_blocking(true, ignored);
    socket.write_some(asio::buffer(text), ignored);
    socket.close(ignored);
}

}  // namespace

HttpServer::HttpServer(asio::any_io_executor executor, std::string address, unsigned port, ApiHandlers& handlers,
                       HttpLimits limits)
    : executor_(std::move(executor)),
      address_(std::move(address)),
      wanted_port_(port),
      handlers_(handlers),
      shared_(std::make_shared<Shared>()) {
    shared_->limits = limits;
    shared_->own_name = machine_name();
}

HttpServer::~HttpServer() {
    stop();
}

Result<void> HttpServer::start() {
    const std::string where = address_ + ":" + std::to_string(wanted_port_);
    error_code error;
    const auto address = asio::ip::make_address(address_, error);
    const auto port = checked_cast<std::uint16_t>(wanted_port_);
    if (error || !port) return fail(Code::bad_syntax, Operation::configure, "is not a numeric address and port", where);
    const tcp::endpoint endpoint(address, *port);
    auto acceptor = std::make_shared<tcp::acceptor>(executor_);
    acceptor->open(endpoint.protocol(), error);
    if (!error) acceptor->set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor->bind(endpoint, error);
    if (!error) acceptor->listen(asio::socket_base::max_listen_connections, error);
    if (error) return fail(Code::io, Operation::accept, error.message(), where);
    port_ = acceptor->local_endpoint(error).port();
    acceptor_ = acceptor;
    asio::co_spawn(executor_, accept_loop(acceptor, shared_, handlers_), spooler::log_exception("http accept loop"));
    return {};
}

void HttpServer::stop() {
    shared_->stopping = true;
    error_code ignored;
    if (acceptor_) acceptor_->close(ignored);
    acceptor_.reset();
    for (HttpSession* session : shared_->sessions) session->stop();
    handlers_.ipp().close();
}

asio::awaitable<void> HttpServer::accept_loop(std::shared_ptr<tcp::acceptor> acceptor, std::shared_ptr<Shared> shared,
                                              ApiHandlers& handlers) {
    asio::steady_timer pause(acceptor->get_executor());
    while (!shared->stopping) {
        auto [error, socket] = co_await acceptor->async_accept(with_error);
        if (shared->stopping) co_return;
        if (error) {
            // Out of descriptors, most likely: trying again at once would only burn the processor.
            log_event(LogLevel::error, spooler::log_id::listen_failed, {{"door", "http"}, {"reason", error.message()}});
            pause.expires_after(accept_pause);
            [[maybe_unused]] auto waited = co_await pause.async_wait(with_error);
            continue;
        }
        if (shared->sessions.size() >= shared->limits.connections) {
            turn_away(socket);
            continue;
        }
        asio::co_spawn(acceptor->get_executor(), run_session(std::move(socket), shared, handlers),
                       spooler::log_exception("http session"));
    }
}

asio::awaitable<void> HttpServer::run_session(tcp::socket socket, std::shared_ptr<Shared> shared,
                                              ApiHandlers& handlers) {
    HttpSession session(std::move(socket), handlers, shared->own_name, shared->limits);
    // Out of the list on every way out, also when an exception ends the session.
    struct Listed {
        Listed(std::set<HttpSession*>& all, HttpSession* one) : sessions(all), self(one) { sessions.insert(self); }
        Listed(const Listed&) = delete;
        Listed& operator=(const Listed&) = delete;
        ~Listed() { sessions.erase(self); }
        std::set<HttpSession*>& sessions;
        HttpSession* self;
    };
    const Listed listed(shared->sessions, &session);
    if (shared->stopping) co_return;
    co_await session.run();
}

}  // namespace opispool::http
