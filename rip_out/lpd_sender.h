// SPDX-License-Identifier: AGPL-3.0-or-later
// LPR to a RIP (RFC 1179, ref 7.1 and 7.3): every step waits for its acknowledgement, the byte count is the plan's
// exact total.
#pragma once

#include <memory>
#include <string>

#include "rip_out/network_sender.h"

namespace opispool::rip_out {

class LpdSender final : public NetworkSender {
  public:
    using NetworkSender::NetworkSender;

  private:
    struct Talk;   // one connection: what the RIP answered, how far the job is
    struct Reply;  // one acknowledgement, or why there is none
    using TalkPtr = std::shared_ptr<Talk>;

    boost::asio::awaitable<SendResult> deliver(AttemptPtr attempt) override;
    boost::asio::awaitable<SendResult> converse(TalkPtr talk, bool data_first);
    // Each step of the conversation: nothing, or the result that ends it.
    boost::asio::awaitable<std::optional<SendResult>> send_control(TalkPtr talk, bool last);
    boost::asio::awaitable<std::optional<SendResult>> send_data(TalkPtr talk, bool last);
    boost::asio::awaitable<Reply> command(TalkPtr talk, std::string bytes);
    boost::asio::awaitable<Reply> next_reply(TalkPtr talk);
    boost::asio::awaitable<void> read_reason(TalkPtr talk, int code);
    boost::asio::awaitable<SendResult> confirm_end(TalkPtr talk);
    boost::asio::awaitable<SendResult> settle_unconfirmed(TalkPtr talk, std::string why);

    SendResult refused(const Talk& talk, const Reply& reply, const std::string& step) const;
};

}  // namespace opispool::rip_out
