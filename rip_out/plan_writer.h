// SPDX-License-Identifier: AGPL-3.0-or-later
// Pours a plan into a connection: window by window, each read, encoded and sent on one thread of the pool; the loop
// waits for room in the kernel's buffer and for reasons to stop.
//
//   SplicePlan --PlanCursor::read--> window --send(2)--> kernel      (pool, until the kernel is full)
//   Connection::wait_writable                                        (loop)
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "base/result.h"
#include "opi/splice_plan.h"
#include "rip_out/connection.h"

namespace opispool::rip_out {

// Calls on with the bytes sent so far, at most every 250 ms.
class ProgressMeter {
  public:
    explicit ProgressMeter(std::function<void(std::uint64_t)> report) : report_(std::move(report)) {}
    void sent(std::uint64_t bytes);
    std::uint64_t sent_bytes() const { return sent_bytes_; }

  private:
    std::function<void(std::uint64_t)> report_;
    std::chrono::steady_clock::time_point next_{};
    std::uint64_t sent_bytes_ = 0;
};

struct PlanWritten {
    Connection::End end = Connection::End::ok;
    std::uint64_t sent_bytes = 0;       // taken by our kernel: an upper bound of what the peer has
    std::optional<Error> source_error;  // a source could not be read or encoded; `end` is ok
};

// Sends the whole plan, unless something ends it early.      thread  loop
//   before_bytes  of the job, sent already; for the progress only
boost::asio::awaitable<PlanWritten> write_plan(std::shared_ptr<Connection> connection,
                                               std::shared_ptr<const opi::SplicePlan> plan,
                                               boost::asio::any_io_executor pool,
                                               std::shared_ptr<ProgressMeter> progress, std::uint64_t before_bytes = 0);

}  // namespace opispool::rip_out
