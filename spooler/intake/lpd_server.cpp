// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/intake/lpd_server.h"

#include <utility>

#include "spooler/intake/lpd_session.h"

namespace opispool::spooler {

namespace {

// A coroutine of its own, so that the session lives as long as its run().
boost::asio::awaitable<void> serve(Intake& intake, std::shared_ptr<Connection> connection) {
    LpdSession session(intake, std::move(connection));
    co_await session.run();
}

}  // namespace

LpdServer::LpdServer(Intake& intake)
    : listener_(intake.loop, "lpd", *intake.config.lpd, intake.config.intake,
                [&intake](std::shared_ptr<Connection> connection) { return serve(intake, std::move(connection)); }) {}

}  // namespace opispool::spooler
