// SPDX-License-Identifier: AGPL-3.0-or-later
// A TCP door: accepts up to its limit, gives every connection to one coroutine, and ends them all on stop().
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>

#include "base/result.h"
#include "spooler/config.h"

namespace opispool::spooler {

// One accepted connection with an idle limit.    thread  loop      owner  its session coroutine
class Connection {
  public:
    enum class End : std::uint8_t {
        none,       // bytes came
        closed,     // the peer ended its side in order
        timed_out,  // nothing came for the idle limit
        broken,     // reset, or stop() was called
    };
    struct Read {
        std::size_t bytes = 0;
        End end = End::none;
    };

    Connection(boost::asio::ip::tcp::socket socket, std::int64_t idle_timeout_ms);

    // Waits for at least one byte, then takes what else is there already, so that a pool hop pays for itself.
    boost::asio::awaitable<Read> read(std::span<std::byte> buffer);
    // The whole text, with the idle limit per step.    returns  false: the peer is gone
    boost::asio::awaitable<bool> write(std::string text);

    // In order: what was written still arrives.
    void close();
    // Reset: the peer must not take what it sent for accepted.
    void reset();
    void stop();

    const std::string& peer() const { return peer_; }  // address without port

  private:
    void arm();
    boost::asio::ip::tcp::socket socket_;
    boost::asio::steady_timer timer_;
    std::int64_t idle_timeout_ms_;
    std::shared_ptr<bool> expired_;  // shared with the timer's handler, which may outlive us
    bool broken_ = false;            // the peer reset the connection
    std::string peer_;
};

class Listener {
  public:
    using Session = std::function<boost::asio::awaitable<void>(std::shared_ptr<Connection>)>;

    // door  for the log: "lpd", "socket"      session  one call per connection
    Listener(boost::asio::any_io_executor loop, std::string door, ListenAddress address, IntakeLimits limits,
             Session session);
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    //   errors  configure: the address can't be had, naming it
    Result<void> start();
    // No new connection; open ones are ended, their sessions see End::broken.
    void stop();
    std::uint16_t port() const { return port_; }

  private:
    boost::asio::awaitable<void> accept_loop();
    void serve(boost::asio::ip::tcp::socket socket);
    boost::asio::any_io_executor loop_;
    std::string door_;
    ListenAddress address_;
    IntakeLimits limits_;
    Session session_;
    boost::asio::ip::tcp::acceptor acceptor_;
    boost::asio::steady_timer pause_;  // between tries when the process is out of descriptors
    std::set<std::shared_ptr<Connection>> connections_;
    std::uint16_t port_ = 0;
};

}  // namespace opispool::spooler
