// SPDX-License-Identifier: AGPL-3.0-or-later
// Runs a helper program to its end: input from a descriptor, output into memory, never longer or more than allowed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace opispool {

struct ChildRequest {
    std::string program;                 // path; no search
    std::vector<std::string> arguments;  // without the program's name
    int stdin_fd = -1;                   // stays the caller's; -1: nothing to read
    std::vector<int> more_fds;           // the child sees them as 3, 4, ...; they stay the caller's
    std::int64_t time_limit_ms = 60'000;
    std::size_t most_output_bytes = std::size_t{16} << 20U;
};

struct ChildOutcome {
    std::string output;  // standard output; standard error goes nowhere
    int exit_code = -1;  // -1: ended by a signal
};

// The child gets an empty environment, default signals and no other descriptor of ours (all are CLOEXEC).
//   errors  not_found: no such program; timeout, too_large: it was killed; io
//   thread  any, blocks until the child is gone and reaped
Result<ChildOutcome> run_child(const ChildRequest& request);

}  // namespace opispool
