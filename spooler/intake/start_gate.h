// SPDX-License-Identifier: AGPL-3.0-or-later
// Keeps jobs that are accepted and durable from starting for a moment, while their LPD client may still take them back
// (subcommand 01 comes after the last acknowledgement). In memory only: after a restart nobody can take them back.
//   thread  loop
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace opispool::spooler {

class StartGate {
  public:
    // A client that neither closes nor goes on does not delay its job for longer.
    static constexpr std::chrono::milliseconds longest_wait{1000};

    explicit StartGate(boost::asio::any_io_executor loop) : loop_(std::move(loop)) {}

    // Called when a gate opens: a runner may have been turned away.
    void on_open(std::function<void()> listener) { listener_ = std::move(listener); }

    // Jobs are named by their spool file, which is known before the job has a number.
    void close(const std::string& spool_file) {
        auto timer = std::make_unique<boost::asio::steady_timer>(loop_, longest_wait);
        timer->async_wait([this, spool_file](const boost::system::error_code& error) {
            if (!error) open(spool_file);
        });
        closed_[spool_file] = std::move(timer);
    }

    void open(const std::string& spool_file) {
        if (closed_.erase(spool_file) > 0 && listener_) listener_();
    }

    // Shutdown: no timer of ours keeps the loop alive.
    void open_all() { closed_.clear(); }

    bool is_open(const std::string& spool_file) const { return !closed_.contains(spool_file); }

  private:
    boost::asio::any_io_executor loop_;
    std::map<std::string, std::unique_ptr<boost::asio::steady_timer>> closed_;
    std::function<void()> listener_;
};

}  // namespace opispool::spooler
