// SPDX-License-Identifier: AGPL-3.0-or-later
// Time comes in through an argument or through this seam, so that tests move it by hand.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace opispool {

// Wall-clock time as stored and shown: milliseconds since 1970-01-01 UTC.
using UnixMs = std::int64_t;

// "2026-12-01 22:00:05" in the time zone of this machine, for people; "?" for what no calendar knows.
std::string local_time_text(UnixMs time_ms);

class Clock {
  public:
    virtual ~Clock() = default;
    virtual UnixMs now_ms() const = 0;
};

class SystemClock final : public Clock {
  public:
    UnixMs now_ms() const override {
        return std::chrono::duration_cast<std::chrono::milliseconds>(
                   std::chrono::system_clock::now().time_since_epoch())
            .count();
    }
};

class ManualClock final : public Clock {
  public:
    explicit ManualClock(UnixMs start_ms = 0) : now_ms_(start_ms) {}
    UnixMs now_ms() const override { return now_ms_; }
    void advance(std::int64_t ms) { now_ms_ += ms; }

  private:
    UnixMs now_ms_;
};

}  // namespace opispool
