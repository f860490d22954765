// SPDX-License-Identifier: AGPL-3.0-or-later
#include "rip_out/sender.h"

#include <utility>

#include "rip_out/destination.h"
#include "rip_out/lpd_sender.h"
#include "rip_out/socket_sender.h"

namespace opispool::rip_out {

Result<std::unique_ptr<Sender>> make_sender(const SenderSettings& settings, boost::asio::any_io_executor loop,
                                            boost::asio::any_io_executor pool) {
    auto destination = parse_destination(settings.uri);
    if (!destination) return fail(std::move(destination.error()));
    if (destination->scheme == Destination::Scheme::lpd)
        return std::make_unique<LpdSender>(settings, std::move(*destination), std::move(loop), std::move(pool));
    return std::make_unique<SocketSender>(settings, std::move(*destination), std::move(loop), std::move(pool));
}

}  // namespace opispool::rip_out
