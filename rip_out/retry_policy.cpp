// SPDX-License-Identifier: AGPL-3.0-or-later
#include "rip_out/retry_policy.h"

#include <algorithm>
#include <array>

namespace opispool::rip_out {

namespace {

// From 5 s, rising to 30 s and staying there (ref 7.4).
constexpr std::array<std::int64_t, 5> delays_ms = {5'000, 10'000, 15'000, 20'000, 30'000};

}  // namespace

std::optional<std::int64_t> pick_retry_delay_ms(Outcome outcome, bool stop_queue, unsigned attempt) {
    if (stop_queue) return std::nullopt;
    switch (outcome) {
        case Outcome::not_started:
            return delays_ms[std::min<std::size_t>(std::max(attempt, 1U) - 1, delays_ms.size() - 1)];
        case Outcome::delivered:
        case Outcome::interrupted:
        case Outcome::rip_error:
        case Outcome::source_failed:
        case Outcome::canceled:
            return std::nullopt;
    }
    return std::nullopt;
}

}  // namespace opispool::rip_out
