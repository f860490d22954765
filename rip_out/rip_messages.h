// SPDX-License-Identifier: AGPL-3.0-or-later
// The back channel: what a RIP says while it reads. Fed in any split, answers with whole messages (ref 7.4).
#pragma once

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
};

class RipMessageParser {
  public:
    // thread  any one      cost  lines are capped; a RIP may talk for ever
    std::vector<RipMessage> feed(std::string_view bytes);
    std::vector<RipMessage> finish();   // an unfinished last line

  private:
    std::string line_;
};

}  // namespace opispool::rip_out
