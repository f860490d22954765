// SPDX-License-Identifier: AGPL-3.0-or-later
// A RIP that behaves as badly as it is told to, on loopback, in a thread of its own with plain blocking sockets:
// nothing of the code under test is in it. A script is played step by step for each connection in turn.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/unique_fd.h"

namespace opispool::fakes {

// One accepted connection, for the script. Reads throw Gone when the peer closed or reset, or the fake is being
// destroyed.
class RipSide {
  public:
    struct Gone {};
    explicit RipSide(UniqueFd fd) : fd_(std::move(fd)) {}

    std::string read_exactly(std::size_t bytes);
    std::string read_line();    // with its LF
    std::string read_to_end();  // until the peer's half-close or reset
    void write(std::string_view bytes);
    void half_close();
    void close();
    void reset();                  // RST instead of FIN
    void limit_buffer(int bytes);  // of the kernel, for what is received
    void wait_for_end();  // returns when the peer is gone; reads nothing, so the peer's data stay in the kernel

    std::string received;         // everything read
    bool ended_by_reset = false;  // read_to_end() met an error, not the end

  private:
    friend class FakeRip;
    void interrupt();  // from another thread: every call returns or throws Gone
    std::mutex closing_;
    UniqueFd fd_;
    std::string ahead_;
};

// What an LPD peer was given.
struct LpdJob {
    std::string queue, control, control_name, data, data_name;
    bool data_came_first = false;
};

class FakeRip {
  public:
    using Script = std::function<void(RipSide&)>;

    // The n-th connection runs the n-th script; further ones are closed at once.
    explicit FakeRip(std::vector<Script> scripts);
    explicit FakeRip(Script script) : FakeRip(std::vector<Script>{std::move(script)}) {}
    FakeRip(const FakeRip&) = delete;
    FakeRip& operator=(const FakeRip&) = delete;
    ~FakeRip();

    std::uint16_t port() const { return port_; }
    std::string socket_uri() const { return "socket://127.0.0.1:" + std::to_string(port_); }
    std::string lpd_uri(const std::string& queue = "plates") const {
        return "lpd://127.0.0.1:" + std::to_string(port_) + "/" + queue;
    }
    // Waits until `count` scripts have ended; what each connection received.
    std::vector<std::string> wait_received(std::size_t count);
    // Connections accepted so far.
    std::size_t accepted();
    // An event for scripts and tests: set once, waited for by anybody.
    void signal();
    bool wait_signal();  // false: the fake is being destroyed

    // A port on which nobody listens.
    static std::uint16_t closed_port();

  private:
    void serve();
    std::vector<Script> scripts_;
    std::uint16_t port_ = 0;  // before the listener, which fills it in
    UniqueFd listener_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::string> received_;
    std::size_t accepted_ = 0;
    RipSide* current_ = nullptr;
    bool stopping_ = false, signaled_ = false;
    std::thread thread_;
};

// A well-behaved LPD receiver for one connection: takes both files in any order, acknowledges each step, reads to the
// end.
LpdJob receive_lpd_job(RipSide& rip);

}  // namespace opispool::fakes
