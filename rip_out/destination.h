// SPDX-License-Identifier: AGPL-3.0-or-later
// Where a queue's jobs go, as the configuration writes it: `socket://host:9100`, `lpd://host/queue`,
// `socket://[::1]:9100`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace opispool::rip_out {

struct Destination {
    enum class Scheme : std::uint8_t { socket, lpd };
    Scheme scheme = Scheme::socket;
    std::string host;        // name or address, an IPv6 literal without its brackets
    std::uint16_t port = 0;  // 9100 and 515 when the URI names none
    std::string queue;       // lpd only, decoded

    std::string peer() const;  // "host:9100", "[::1]:9100": for messages
};

//   errors  configure: unknown scheme, no host, bad port, no queue, options in the URI
Result<Destination> parse_destination(std::string_view uri);

}  // namespace opispool::rip_out
