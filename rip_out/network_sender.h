// SPDX-License-Identifier: AGPL-3.0-or-later
// What the senders over TCP have in common: one connection at a time, the checks around a transfer, stop().
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <memory>
#include <optional>

#include "rip_out/connection.h"
#include "rip_out/destination.h"
#include "rip_out/plan_writer.h"
#include "rip_out/sender.h"

namespace opispool::rip_out {

//   lifetime  outlives every send() it runs; one send() at a time
class NetworkSender : public Sender {
  public:
    NetworkSender(SenderSettings settings, Destination destination, boost::asio::any_io_executor loop,
                  boost::asio::any_io_executor pool);

    boost::asio::awaitable<SendResult> send(std::shared_ptr<const opi::SplicePlan> plan, JobTicket ticket,
                                            Hooks hooks) final;
    void stop() final;

  protected:
    // One job on its way: what the steps of a protocol share.
    struct Attempt {
        std::shared_ptr<const opi::SplicePlan> plan;
        JobTicket ticket;
        Hooks hooks;
        std::shared_ptr<ProgressMeter> progress;
        std::shared_ptr<Connection> connection;
        RipMessageLog messages;
        std::uint64_t before_bytes = 0;  // sent of plans before `plan`
        bool stopped = false;
    };
    using AttemptPtr = std::shared_ptr<Attempt>;

    // The protocol, from connect to its last word. The connection is closed by send().
    virtual boost::asio::awaitable<SendResult> deliver(AttemptPtr attempt) = 0;

    // Connects anew; a result means that there is no connection.
    boost::asio::awaitable<std::optional<SendResult>> open(AttemptPtr attempt);
    // The job is about to leave: the hook, once. A result means that it must not.
    boost::asio::awaitable<std::optional<SendResult>> begin(AttemptPtr attempt);
    // All bytes of the plan and of those that follow it, each with a look at its sources afterwards. Anything but
    // success resets the connection, so that the RIP can't take what it has for a complete job; only after a RIP's own
    // error is there nothing to protect.
    boost::asio::awaitable<std::optional<SendResult>> write_job(AttemptPtr attempt);

    // What happened in the plan at hand, told as of the whole job.
    static SendResult with_earlier_parts(const Attempt& attempt, SendResult part);

    const SenderSettings& settings() const { return settings_; }
    const Destination& destination() const { return destination_; }

  private:
    boost::asio::awaitable<std::optional<SendResult>> write_part(AttemptPtr attempt);
    boost::asio::awaitable<Result<void>> check_sources_on_pool(std::shared_ptr<const opi::SplicePlan> plan);

    SenderSettings settings_;
    Destination destination_;
    boost::asio::any_io_executor loop_, pool_;
    AttemptPtr running_;
};

}  // namespace opispool::rip_out
