// SPDX-License-Identifier: AGPL-3.0-or-later
// Listens for HTTP and runs one session per connection.
//   thread  everything on the executor's one thread (the loop)
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "base/result.h"
#include "spooler/http/http_session.h"

namespace opispool::http {

class HttpServer {
  public:
    //   address   numeric, "127.0.0.1" or "::1"; anything but loopback shows the queues to the network
    //   port      0 = any free one, see port()
    //   handlers  outlive the loop's last run: a session may still be ending after stop()
    HttpServer(boost::asio::any_io_executor executor, std::string address, unsigned port, ApiHandlers& handlers,
               HttpLimits limits = {});
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;
    ~HttpServer();

    // Binds and begins to accept.    errors  configure, accept (address in use, ...) naming address and port
    Result<void> start();
    // No new connections; those that stand are closed, uploads that are not whole are discarded. Sessions end within
    // the loop's next turns; the server must live until then or stop() has made them independent of it (it has).
    void stop();
    // The port in use, 0 before start().
    unsigned port() const { return port_; }
    std::size_t connections() const { return shared_->sessions.size(); }

  private:
    // Outlives the server while sessions still run.
    struct Shared {
        HttpLimits limits;
        std::string own_name;
        std::set<HttpSession*> sessions;
        bool stopping = false;
    };
    static boost::asio::awaitable<void> accept_loop(std::shared_ptr<boost::asio::ip::tcp::acceptor> acceptor,
                                                    std::shared_ptr<Shared> shared, ApiHandlers& handlers);
    static boost::asio::awaitable<void> run_session(boost::asio::ip::tcp::socket socket, std::shared_ptr<Shared> shared,
                                                    ApiHandlers& handlers);

    boost::asio::any_io_executor executor_;
    std::string address_;
    unsigned wanted_port_;
    unsigned port_ = 0;
    ApiHandlers& handlers_;
    std::shared_ptr<Shared> shared_;
    std::shared_ptr<boost::asio::ip::tcp::acceptor> acceptor_;
};

}  // namespace opispool::http
