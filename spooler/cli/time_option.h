// SPDX-License-Identifier: AGPL-3.0-or-later
// Times as people type them.
#pragma once

#include <string>

#include "base/clock.h"
#include "base/result.h"

namespace opispool::cli {

inline constexpr const char* time_option_help = "HH:MM (the next one), 'YYYY-MM-DD HH:MM[:SS]', or +N with m, h or d";

//   now_ms   for "HH:MM" and "+90m"; local time is that of this machine       errors  bad_syntax
Result<UnixMs> parse_time_option(const std::string& text, UnixMs now_ms);

// The same from the clock on the wall, as the API wants it.
Result<std::string> read_time_option(const std::string& text);

}  // namespace opispool::cli
