// SPDX-License-Identifier: AGPL-3.0-or-later
#include "rip_out/lpd_sender.h"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "rip_out/lpd_control_file.h"
#include "rip_out/send_report.h"

namespace opispool::rip_out {

namespace asio = boost::asio;
using End = Connection::End;
using Clock = std::chrono::steady_clock;
using Milliseconds = Connection::Milliseconds;

namespace {

constexpr std::size_t input_limit_bytes = 1024;  // of a refusal's text
constexpr Milliseconds reason_limit(500);        // for the text after a refusing byte
constexpr Milliseconds last_look_limit(2'000);   // for a late refusal after the last acknowledgement
constexpr int acknowledged = 0, retry_later = 2, queue_closed = 1, job_refused = 3;

std::string describe_code(int code) {
    static constexpr char digits[] = "0123456789abcdef";
    std::string text{digits[static_cast<unsigned>(code) >> 4U & 15U], digits[static_cast<unsigned>(code) & 15U]};
    if (code == queue_closed) text += ", queue closed";
    if (code == retry_later) text += ", try again later";
    if (code == job_refused) text += ", job refused";
    return text;
}

}  // namespace

struct LpdSender::Reply {
    End end = End::ok;  // not ok: no answer came
    int code = acknowledged;
    bool good() const { return end == End::ok && code == acknowledged; }
};

struct LpdSender::Talk {
    AttemptPtr attempt;
    LpdNames names;
    std::string input;             // answers not yet used
    std::string reason;            // the text of a refusal
    std::uint64_t sent_bytes = 0;  // of the job
    bool sending_data = false;
    bool refused_control = false;  // the control file was not wanted, and no byte of the job has left

    Connection& connection() const { return *attempt->connection; }

    // The second of two acknowledgements where one was due counts for nothing.
    void drop_surplus() { input.erase(0, input.find_first_not_of('\0')); }

    void hear(std::string_view bytes) {
        input.append(bytes.substr(0, input_limit_bytes - std::min(input_limit_bytes, input.size())));
        if (!sending_data || attempt->progress->sent_bytes() == attempt->plan->total_bytes()) return;
        // Nobody can acknowledge data that have not left, but a refusal in the middle is meant.
        drop_surplus();
        if (!input.empty()) connection().halt();
    }
};

SendResult LpdSender::refused(const Talk& talk, const Reply& reply, const std::string& step) const {
    const std::string peer = destination().peer();
    if (reply.end == End::canceled)
        return report(Outcome::canceled, talk.sent_bytes, "canceled before a byte of the job was sent");
    if (reply.end == End::stalled)
        return report(Outcome::not_started, 0, peer + " did not answer " + step + " in time; it will be tried again");
    if (reply.end != End::ok) {
        return report(Outcome::not_started, 0,
                      peer + " closed the connection at " + step + " (" + talk.connection().last_error() +
                          "); it will be tried again");
    }
    SendResult result =
        report(Outcome::not_started, 0, peer + " refused " + step + " (" + describe_code(reply.code) + ")");
    if (!talk.reason.empty()) result.text += ": " + talk.reason;
    result.stop_queue = reply.code != retry_later;
    if (result.stop_queue) result.text += "; check the queue on the RIP, then start this queue again";
    return result;
}

asio::awaitable<LpdSender::Reply> LpdSender::next_reply(TalkPtr talk) {
    Reply reply;
    const auto due = Clock::now() + Milliseconds(settings().stall_timeout_ms);
    while (talk->input.empty() && reply.end == End::ok) {
        const auto left = std::chrono::ceil<Milliseconds>(due - Clock::now());
        if (talk->connection().stopped())
            reply.end = End::canceled;
        else if (talk->connection().input_ended())
            reply.end = End::lost;
        else if (left.count() <= 0)
            reply.end = End::stalled;
        else
            co_await talk->connection().wait_change(left);
    }
    if (reply.end != End::ok) co_return reply;
    reply.code = static_cast<unsigned char>(talk->input.front());
    // Some peers answer with a sentence instead of a code: then its first letter belongs to the reason.
    if (reply.code < 0x20 || reply.code > 0x7E) talk->input.erase(0, 1);
    if (reply.code == acknowledged)
        talk->drop_surplus();
    else
        co_await read_reason(talk, reply.code);
    co_return reply;
}

asio::awaitable<void> LpdSender::read_reason(TalkPtr talk, int code) {
    const auto due = Clock::now() + reason_limit;
    while (!talk->connection().input_ended() && !talk->connection().stopped() &&
           talk->input.size() < input_limit_bytes) {
        const auto left = std::chrono::ceil<Milliseconds>(due - Clock::now());
        if (left.count() <= 0 || talk->input.find('\n') != std::string::npos) break;
        co_await talk->connection().wait_change(left);
    }
    talk->reason = printable(trim(talk->input));
    talk->input.clear();
    RipMessage message;
    message.text = "refused with " + describe_code(code) + (talk->reason.empty() ? "" : ": " + talk->reason);
    talk->attempt->messages.add(std::move(message));
}

asio::awaitable<LpdSender::Reply> LpdSender::command(TalkPtr talk, std::string bytes) {
    talk->drop_surplus();
    Reply reply;
    // A refusal that is here already is the answer, whatever we would have said.
    if (talk->input.empty()) reply.end = co_await talk->connection().write_all(std::move(bytes));
    // A peer that refuses and closes at once breaks the write; its reason is still worth reading.
    if (reply.end == End::ok || reply.end == End::lost) reply = co_await next_reply(talk);
    co_return reply;
}

asio::awaitable<std::optional<SendResult>> LpdSender::send_control(TalkPtr talk, bool last) {
    const std::string file = make_control_file(talk->attempt->ticket, own_host_name(), settings().lpd_format);
    const Reply subcommand =
        co_await command(talk, "\x02" + std::to_string(file.size()) + " " + talk->names.control + "\n");
    Reply content;
    if (subcommand.good()) content = co_await command(talk, file + std::string(1, '\0'));
    const Reply& reply = subcommand.good() ? content : subcommand;
    if (reply.good()) co_return std::nullopt;
    if (!last) {
        talk->refused_control = reply.end == End::ok && reply.code != retry_later;
        co_return refused(*talk, reply, "the control file");
    }
    if (reply.end == End::canceled) {
        co_return report(Outcome::canceled, talk->sent_bytes,
                         "canceled after the whole job was sent; the RIP may print it");
    }
    if (reply.end != End::ok) co_return co_await settle_unconfirmed(talk, "no acknowledgement of the control file");
    SendResult result = report(Outcome::interrupted, talk->sent_bytes,
                               "the RIP took the data but refused the control file (" + describe_code(reply.code) +
                                   "); it may print the job: check before sending again");
    if (!talk->reason.empty()) result.text += ": " + talk->reason;
    result.stop_queue = reply.code == queue_closed || reply.code == job_refused;
    co_return result;
}

asio::awaitable<std::optional<SendResult>> LpdSender::send_data(TalkPtr talk, bool last) {
    const AttemptPtr attempt = talk->attempt;
    const std::uint64_t total = attempt->plan->total_bytes();
    const Reply subcommand = co_await command(talk, "\x03" + std::to_string(total) + " " + talk->names.data + "\n");
    if (!subcommand.good()) co_return refused(*talk, subcommand, "the job's data");
    auto held_back = co_await begin(attempt);
    if (held_back) {
        attempt->connection->reset();
        co_return held_back;
    }
    talk->sending_data = true;
    auto broken = co_await write_job(attempt);
    talk->sending_data = false;
    talk->sent_bytes = broken ? broken->sent_bytes : total;
    const bool peer_spoke = !talk->input.empty();
    if (broken && !peer_spoke) co_return broken;

    Reply reply;
    if (!broken) {
        const std::string end_of_file(1, '\0');
        reply.end = co_await talk->connection().write_all(end_of_file);
    }
    if (reply.end == End::ok || reply.end == End::lost || peer_spoke) reply = co_await next_reply(talk);
    if (reply.good()) co_return std::nullopt;
    if (reply.end == End::canceled) {
        attempt->connection->reset();
        co_return report(Outcome::canceled, talk->sent_bytes,
                         "canceled after the whole job was sent; the RIP may print it");
    }
    if (reply.end != End::ok && last) co_return co_await settle_unconfirmed(talk, "no acknowledgement of the data");
    const std::string after = describe_position(*attempt->plan, talk->sent_bytes);
    if (reply.end != End::ok) {
        co_return report(
            Outcome::interrupted, talk->sent_bytes,
            "the RIP did not acknowledge the data after " + after + "; completion unknown: check before sending again");
    }
    SendResult result = report(talk->sent_bytes == 0 ? Outcome::not_started : Outcome::interrupted, talk->sent_bytes,
                               "the RIP refused the job after " + after + " (" + describe_code(reply.code) + ")");
    if (!talk->reason.empty()) result.text += ": " + talk->reason;
    if (talk->sent_bytes > 0) result.text += "; it may have printed part of it: check before sending again";
    result.stop_queue = reply.code == queue_closed || reply.code == job_refused;
    co_return result;
}

// Everything was sent and the last answer is missing.
asio::awaitable<SendResult> LpdSender::settle_unconfirmed(TalkPtr talk, std::string why) {
    const std::uint64_t sent = talk->sent_bytes;
    const bool reset = talk->connection().input_ended() && !talk->connection().input_ended_cleanly();
    if (!settings().lpd_require_final_ack && !reset) {
        const End end = co_await talk->connection().finish(false, last_look_limit);
        if (end == End::ok)
            co_return report(Outcome::delivered, sent,
                             "sent " + std::to_string(sent) + " bytes; not confirmed: " + why);
    }
    co_return report(Outcome::interrupted, sent,
                     "all " + std::to_string(sent) + " bytes were sent, but completion unknown: " + why +
                         "; look at the RIP before sending again");
}

// A peer that acknowledges twice, late, makes its answers count for the wrong step; a refusal may then come after what
// looked like the last word. Our end of file is due anyway, and nearly every peer closes on it at once.
asio::awaitable<SendResult> LpdSender::confirm_end(TalkPtr talk) {
    const std::uint64_t sent = talk->sent_bytes;
    Milliseconds limit(settings().end_timeout_ms);
    limit = std::min(limit, last_look_limit);
    co_await talk->connection().finish(true, limit);
    talk->drop_surplus();
    if (talk->input.empty())
        co_return report(Outcome::delivered, sent, "sent " + std::to_string(sent) + " bytes, acknowledged");
    const Reply reply = co_await next_reply(talk);
    SendResult result = report(Outcome::interrupted, sent,
                               "the RIP refused the job at the end (" + describe_code(reply.code) +
                                   "); it may have printed it: check before sending again");
    if (!talk->reason.empty()) result.text += ": " + talk->reason;
    result.stop_queue = reply.code == queue_closed || reply.code == job_refused;
    co_return result;
}

asio::awaitable<SendResult> LpdSender::converse(TalkPtr talk, bool data_first) {
    if (auto failed = co_await open(talk->attempt)) co_return std::move(*failed);
    // A raw pointer: the callback dies with close(), before the conversation does.
    auto heard = [talk_ptr = talk.get()](std::string_view bytes) { talk_ptr->hear(bytes); };
    talk->connection().start_reading(std::move(heard));
    const Reply queue = co_await command(talk, "\x02" + destination().queue + "\n");
    if (!queue.good()) co_return refused(*talk, queue, "queue '" + destination().queue + "'");
    for (const bool data : {data_first, !data_first}) {
        const bool last = data != data_first;
        std::optional<SendResult> ended;
        if (data)
            ended = co_await send_data(talk, last);
        else
            ended = co_await send_control(talk, last);
        if (ended) co_return std::move(*ended);
    }
    co_return co_await confirm_end(talk);
}

asio::awaitable<SendResult> LpdSender::deliver(AttemptPtr attempt) {
    auto talk = std::make_shared<Talk>();
    talk->attempt = attempt;
    talk->names = make_lpd_names(attempt->ticket, own_host_name());
    SendResult result = co_await converse(talk, settings().lpd_data_first);
    if (attempt->connection) attempt->connection->close();
    if (!talk->refused_control || attempt->stopped) co_return result;
    // Some print servers want the data before the control file. No byte of the job has left, so the other order is
    // safe.
    auto second = std::make_shared<Talk>();
    second->attempt = attempt;
    second->names = talk->names;
    result = co_await converse(second, true);
    if (attempt->connection) attempt->connection->close();
    result.text += " (data first: the RIP refused to take the control file before them)";
    co_return result;
}

}  // namespace opispool::rip_out
