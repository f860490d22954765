// SPDX-License-Identifier: AGPL-3.0-or-later
// AppSocket (JetDirect, port 9100) in: one connection is one document, the peer's end of sending is its end. Nothing
// counts the bytes here, so the tail is looked at: what is certainly cut off is held, never printed by itself.
//   source  ref 7.4
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "spooler/intake/intake.h"
#include "spooler/intake/listener.h"

namespace opispool::spooler {

class SocketServer {
  public:
    // intake  outlives the server      queue  its address must be set
    SocketServer(Intake& intake, const QueueConfig& queue);
    Result<void> start() { return listener_.start(); }
    void stop() { listener_.stop(); }
    std::uint16_t port() const { return listener_.port(); }

  private:
    Listener listener_;
};

}  // namespace opispool::spooler
