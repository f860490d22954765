// SPDX-License-Identifier: AGPL-3.0-or-later
// AppSocket (port 9100): the connection is the job. Bytes out, messages in, half-close, wait for the RIP's close
// (ref 7.4).
#pragma once

#include "rip_out/network_sender.h"

namespace opispool::rip_out {

class SocketSender final : public NetworkSender {
  public:
    using NetworkSender::NetworkSender;

  private:
    boost::asio::awaitable<SendResult> deliver(AttemptPtr attempt) override;
    boost::asio::awaitable<SendResult> wait_for_end(AttemptPtr attempt);
};

}  // namespace opispool::rip_out
