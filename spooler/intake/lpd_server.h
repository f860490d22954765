// SPDX-License-Identifier: AGPL-3.0-or-later
// LPD in (RFC 1179). One connection is one LpdSession; the grammar is LpdParser's, the files are SpoolWriter's, and the
// last acknowledgement is given only when the job is in the store.
//   source  ref 7.1, 7.2
#pragma once

#include <cstdint>

#include "spooler/intake/intake.h"
#include "spooler/intake/listener.h"

namespace opispool::spooler {

class LpdServer {
  public:
    // intake  outlives the server; its configuration has an address for LPD
    explicit LpdServer(Intake& intake);
    Result<void> start() { return listener_.start(); }
    void stop() { listener_.stop(); }
    std::uint16_t port() const { return listener_.port(); }

  private:
    Listener listener_;
};

}  // namespace opispool::spooler
