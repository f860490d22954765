// SPDX-License-Identifier: AGPL-3.0-or-later
#include "base/clock.h"

#include <ctime>

namespace opispool {

std::string local_time_text(UnixMs time_ms) {
    const std::time_t seconds = time_ms / 1000;
    std::tm parts{};
    char text[40];
    if (::localtime_r(&seconds, &parts) == nullptr ||
        std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts) == 0)
        return "?";
    return text;
}

}  // namespace opispool
