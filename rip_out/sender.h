// SPDX-License-Identifier: AGPL-3.0-or-later
// The contract of every way out. A sender takes a finished plan to one destination and says exactly how it ended; it
// never retries by itself after the destination took a byte, because a second plate costs money.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "opi/splice_plan.h"
#include "rip_out/rip_messages.h"

namespace opispool::rip_out {

// What a destination's protocol may want to know about the job.
struct JobTicket {
    std::string job_name;  // the job's number here, "42"
    std::string title, user, host;
};

enum class Outcome : std::uint8_t {
    delivered,      // the destination took every byte (and acknowledged, where its protocol can)
    not_started,    // no byte of the job was taken: trying again is safe (refused, unreachable, busy)
    interrupted,    // bytes were taken, the end is unknown: a person decides
    rip_error,      // the destination reported that the job failed (PostScript error)
    source_failed,  // our side: a source file changed or could not be read
    canceled,       // stop() was called
};

struct SendResult {
    Outcome outcome = Outcome::not_started;
    std::uint64_t sent_bytes = 0;      // of the job's own bytes, taken by our kernel: never less than what the peer has
    std::string text;                  // one line for the operator: what happened and what to do
    std::vector<RipMessage> messages;  // what the destination said
    bool stop_queue = false;           // the peer asks not to be tried again (LPD acknowledgement 01 or 03)
};

class Sender {
  public:
    virtual ~Sender() = default;

    // One attempt: connect, send, wait for the end.    thread  loop      plan  checked by check_plan
    //   before_first_byte  awaited once, after the connection stands and before a byte of the job leaves; false = stop,
    //                      canceled (the job's "sending" mark could not be made durable)
    //   lifetime           the sender outlives the call; one send() at a time
    //   progress           called on the loop, at most every 250 ms, with bytes sent so far
    struct Hooks {
        std::function<boost::asio::awaitable<bool>()> before_first_byte;
        std::function<void(std::uint64_t sent_bytes)> progress;
        // For a job that is still being planned, AppSocket only: asked when all of the plan before has left, and waits
        // for what comes next. Null pointer: the job is whole. An error: it never will be; the connection is reset, and
        // the result is `source_failed` with this text. It may not wait any longer after stop().
        std::function<boost::asio::awaitable<Result<std::shared_ptr<const opi::SplicePlan>>>()> next_plan;
    };
    virtual boost::asio::awaitable<SendResult> send(std::shared_ptr<const opi::SplicePlan> plan, JobTicket ticket,
                                                    Hooks hooks) = 0;
    // Ends a running send() soon; it then answers `canceled`. Without one it does nothing.    thread  loop
    virtual void stop() = 0;
};

struct SenderSettings {
    std::string uri;  // "socket://host:9100", "lpd://host/queue", later "folder:///path"
    std::int64_t connect_timeout_ms = 10'000;
    std::int64_t stall_timeout_ms = 300'000;  // no byte taken and none read for so long
    std::int64_t end_timeout_ms = 90'000;     // socket: wait for the peer's close after our half-close
    bool wait_for_close = true;               // socket: the peer's close marks the end (waiteof)
    bool send_ctrl_d = false;                 // socket: append ^D
    bool lpd_data_first = false;              // lpd: order=data,control
    char lpd_format = 'o';                    // lpd: control file letter
    bool lpd_reserved_port = false;           // lpd: try 721-731 first
    bool lpd_require_final_ack = true;        // missing last acknowledgement is `interrupted`, not `delivered`
};

//   loop  where coroutines run      pool  where windows are read, encoded and sent
//   errors  configure (bad URI or unknown scheme)
Result<std::unique_ptr<Sender>> make_sender(const SenderSettings& settings, boost::asio::any_io_executor loop,
                                            boost::asio::any_io_executor pool);

}  // namespace opispool::rip_out
