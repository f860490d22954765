// SPDX-License-Identifier: AGPL-3.0-or-later
// The back channel: what a RIP says while it reads. Fed in any split, answers with whole messages (ref 7.4).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace opispool::rip_out {

struct RipMessage {
    enum class Kind : std::uint8_t { error, flushing, status, printer_error, exit_server, text };
    Kind kind = Kind::text;
    std::string text;                 // the line, printable
    std::string error_name, command;  // error: "undefined", "foo"

    // The job is lost: the RIP stopped interpreting it.
    bool fails_job() const { return kind == Kind::error || kind == Kind::flushing; }
    friend bool operator==(const RipMessage&, const RipMessage&) = default;
};

class RipMessageParser {
  public:
    // A line longer than this is cut; a message that begins inside it is still found.
    static constexpr std::size_t line_limit_bytes = 8 * 1024;

    // thread  any one      cost  one pass; lines are capped, a RIP may talk for ever
    std::vector<RipMessage> feed(std::string_view bytes);
    std::vector<RipMessage> finish();  // an unfinished last line

  private:
    void end_line(std::vector<RipMessage>& out);
    void end_ustatus(std::vector<RipMessage>& out);
    void cut_line(std::vector<RipMessage>& out);
    std::string line_;
    std::string ustatus_;  // a `@PJL USTATUS` block, collected until its form feed
    bool quoted_ = false;  // TBCP: the next byte has bit 6 flipped
};

// What is kept of a talkative RIP for the job's record: no repeats in a row, and a limit that errors do not fall under.
class RipMessageLog {
  public:
    static constexpr std::size_t limit = 100, error_limit = 20;

    void add(RipMessage message);
    const std::vector<RipMessage>& kept() const { return kept_; }
    std::uint64_t dropped() const { return dropped_; }
    // The first message that failed the job, or nullptr. An `Error` wins over a `Flushing` that came with it.
    const RipMessage* failure() const;

  private:
    std::vector<RipMessage> kept_;
    std::size_t errors_ = 0;
    std::uint64_t dropped_ = 0;
};

// "undefined in foo"; for a flushing message without an error, that the rest is ignored.
std::string describe_failure(const RipMessage& message);

}  // namespace opispool::rip_out
