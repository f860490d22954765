// SPDX-License-Identifier: AGPL-3.0-or-later
// One line on a terminal that says how far a long transfer is; silent everywhere else.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace opispool::cli {

class ProgressBar {
  public:
    //   total_bytes  0 = unknown: bytes and speed only       enabled  further condition; standard error must be a
    //   terminal
    ProgressBar(std::string label, std::uint64_t total_bytes, bool enabled = true);
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;
    ~ProgressBar();  // wipes the line

    void show(std::uint64_t done_bytes);  // draws at most ten times a second

  private:
    using SteadyClock = std::chrono::steady_clock;
    std::string label_;
    std::uint64_t total_bytes_;
    bool enabled_;
    SteadyClock::time_point begin_ = SteadyClock::now(), drawn_ = begin_;
};

// The line itself: "LABEL [=====>    ]  42 %  63.0 MB of 150 MB  210 MB/s", `columns` wide at most.   pure
std::string progress_line(const std::string& label, std::uint64_t done_bytes, std::uint64_t total_bytes, double seconds,
                          std::size_t columns);

}  // namespace opispool::cli
