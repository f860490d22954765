// SPDX-License-Identifier: AGPL-3.0-or-later
// RFC 1179 as a receiver reads it: bytes of one connection in, events out, no socket and no file in sight. Fed in any
// split, the events are the same (neighbouring `data` events apart).
//   source  RFC 1179; ref 7.1 (grammar) and 7.2 (what real clients do)
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace opispool::spooler {

struct LpdEvent {
    enum class Kind : std::uint8_t {
        command,     // 01..05 with a queue; 02 also between and inside jobs (old clients repeat it)
        abort,       // subcommand 01: forget this job
        file_begin,  // subcommand 02 or 03: decide and acknowledge
        data,        // bytes of the file
        file_end,    // every announced byte has come, or the clean close of an unknown length
        short_file,  // clean close before the announced end
        ended,       // clean close, or an unknown byte, between files: the conversation is over
        bad,         // the grammar is broken; `text` says how; nothing more will be read
    };
    Kind kind = Kind::ended;
    int code = 0;                       // command
    std::string queue;                  // command
    std::vector<std::string> operands;  // command: users and job numbers of 03, 04, 05
    bool control = false;               // file_*: control file, else data file
    bool until_close = false;           // file_*: the announced count only means "until I close"
    std::uint64_t count_bytes = 0;      // file_begin: as announced
    std::uint64_t arrived_bytes = 0;    // file_end, short_file
    std::string name;                   // file_begin: a label, never a path
    std::span<const std::byte> data;    // data: inside the bytes given to next()
    std::string text;                   // bad
};

// A count that real clients send when they do not know the length.
bool is_until_close(std::uint64_t count_bytes);

class LpdParser {
  public:
    static constexpr std::size_t max_line_bytes = 1024;

    // Takes bytes off the front of `input` until it has an event; nothing when the input is used up.
    std::optional<LpdEvent> next(std::span<const std::byte>& input);
    // The peer has closed in order. After a reset or a timeout do not call it: what was open is void.
    LpdEvent finish();

  private:
    enum class State : std::uint8_t { command, subcommand, data, terminator, over };
    std::optional<LpdEvent> next_line(std::span<const std::byte>& input);
    LpdEvent parse_line();
    LpdEvent parse_command();
    LpdEvent parse_file(std::string_view operands, bool control);
    LpdEvent broken(std::string text);
    LpdEvent end_of_file(LpdEvent::Kind kind);

    State state_ = State::command;
    std::string line_;
    bool control_ = false, until_close_ = false;
    std::uint64_t count_ = 0, arrived_ = 0;
};

}  // namespace opispool::spooler
