// SPDX-License-Identifier: AGPL-3.0-or-later
// One TCP connection to a RIP: connect, write while everything the RIP says is read, and find out at the end whether
// its kernel took all of it. Every way a transfer can end is one word, End.
#pragma once

#include <array>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "rip_out/deadline.h"
#include "rip_out/destination.h"

namespace opispool::rip_out {

//   thread    loop (all members)
//   lifetime  in a shared_ptr: the reader coroutine holds it until the socket is closed
class Connection : public std::enable_shared_from_this<Connection> {
  public:
    using Milliseconds = std::chrono::milliseconds;

    enum class End : std::uint8_t {
        ok,
        canceled,  // stop()
        halted,    // halt(): the RIP said something that makes sending on pointless
        stalled,   // no byte taken and none read within the limit
        lost,      // reset, closed, unreachable: last_error() says which
        silent,    // finish(): all is taken, but the RIP did not close in time
    };
    //   stall_timeout  of wait_writable() and write_all(); bytes read count as life too
    Connection(boost::asio::any_io_executor loop, Milliseconds stall_timeout);

    // Tries every address of the host, each for `timeout`.
    //   reserved_port  bind to 721-731 first (RFC 1179); without the privilege, or if none is free, to any
    //   errors         not_found (name), refused, timeout, disconnected (unreachable), canceled
    boost::asio::awaitable<Result<void>> connect(Destination to, Milliseconds timeout, bool reserved_port);

    // From now on everything the peer sends goes to `on_bytes`, on the loop, until close(). Call once, when connected.
    void start_reading(std::function<void(std::string_view)> on_bytes);

    boost::asio::awaitable<End> write_all(std::string bytes);

    // For whoever sends on native_handle() from the pool, without blocking: only between two calls of wait_writable(),
    // while the caller keeps this object and closes nothing.
    //   returns  ok when the kernel has room, else what stopped the transfer
    boost::asio::awaitable<End> wait_writable();
    int native_handle() { return socket_.native_handle(); }
    // That send failed with this errno.      returns  what it means
    End send_failed(int errno_value);

    // Half-closes and waits until the peer has taken everything and, with `wait_for_close`, closed its side. An end of
    // file alone proves nothing: a RIP that dies sends one too, with our last bytes still on the way. So the kernel is
    // asked whether our own end was acknowledged.
    //   limit    of silence: no byte read, none acknowledged
    //   returns  ok, silent, stalled (not everything taken), lost, canceled
    boost::asio::awaitable<End> finish(bool wait_for_close, Milliseconds limit);

    // Returns when the reader got something, the input ended, stop() or halt() was called, or after `limit`.
    boost::asio::awaitable<void> wait_change(Milliseconds limit);

    void stop();
    void halt();
    void close();
    void reset();  // close so that the peer sees an error, not the end of a job

    bool stopped() const { return stopped_; }
    bool input_ended() const { return input_end_.has_value(); }
    bool input_ended_cleanly() const;
    std::string last_error() const { return last_error_; }

  private:
    static boost::asio::awaitable<void> read_loop(std::shared_ptr<Connection> self);
    boost::asio::awaitable<Result<std::vector<boost::asio::ip::tcp::endpoint>>> resolve(Destination to,
                                                                                        Milliseconds limit);
    boost::asio::awaitable<boost::system::error_code> connect_to(boost::asio::ip::tcp::endpoint peer,
                                                                 Milliseconds timeout, bool reserved_port);
    boost::asio::awaitable<boost::system::error_code> try_connect(boost::asio::ip::tcp::endpoint peer,
                                                                  std::uint16_t own_port, Milliseconds timeout);
    std::optional<End> finished(bool wait_for_close, bool acknowledged, bool closed);
    End why_stopped() const;
    End broken(const boost::system::error_code& error);
    End lost(const boost::system::error_code& error);
    void wake() { changed_.cancel(); }

    boost::asio::any_io_executor loop_;
    boost::asio::ip::tcp::socket socket_;
    boost::asio::steady_timer changed_;
    Deadline deadline_;
    Milliseconds stall_timeout_;
    std::function<void(std::string_view)> on_bytes_;
    std::optional<boost::system::error_code> input_end_;
    std::array<char, 64 * 1024> input_{};
    std::uint64_t read_bytes_ = 0;
    std::string last_error_;
    bool stopped_ = false, halted_ = false;
    // A write failed. The kernel tells each error once: the reader may then see what looks like a clean end.
    bool broken_ = false;
};

}  // namespace opispool::rip_out
