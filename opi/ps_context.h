// SPDX-License-Identifier: AGPL-3.0-or-later
// Tells whether a comment line really is one: inside ( ) a percent sign is a character (PLRM 3.2.2), and inside { }
// code that reads `currentfile` can't be inserted (PLRM 3.5.3). Comments alone don't show either, so the PostScript
// before an OPI comment is read token-wise; only jobs with OPI comments pay for it.
//
// Uncounted image data may look like anything. A verdict "string" is given only for text that also closes as a string,
// and bytes that no program text holds (control characters, "~>") start the reading afresh: in doubt a comment is a
// comment.
#pragma once

#include <cstdint>
#include <vector>

#include "opi/byte_source.h"

namespace opispool::opi {

class PsContext {
  public:
    // Longest literal string a program is believed to hold around a comment look-alike.
    static constexpr std::uint64_t string_reach_bytes = 64U << 10U;

    explicit PsContext(ByteSource& source) : source_(source) {}

    // A range of counted data or of a replaced body: passed over. Ranges come in ascending order.
    void skip(std::uint64_t begin_bytes, std::uint64_t end_bytes);
    // Forgets all nesting: a new page or a new job begins.
    void reset_at(std::uint64_t offset_bytes);

    // The bytes up to here were a proxy that may have looked like anything: what was open before it is open again.
    void resume_behind(std::uint64_t offset_bytes, bool inside_procedure);

    // Offsets must ascend.
    bool in_string(std::uint64_t offset_bytes);
    bool in_procedure(std::uint64_t offset_bytes);

  private:
    void read_to(std::uint64_t offset_bytes);
    void read_text(std::uint64_t from, std::uint64_t to);
    void take(char c);
    bool closes_soon(std::uint64_t offset_bytes);

    struct Mark {
        std::uint64_t begin, end;
        bool reset;
    };
    ByteSource& source_;
    std::vector<Mark> marks_;
    std::size_t next_mark_ = 0;
    std::uint64_t position_ = 0;
    std::uint64_t string_begin_ = 0;
    std::uint64_t here_ = 0;  // offset of the byte take() looks at
    int parentheses_ = 0;
    int braces_ = 0;
    bool in_comment_ = false;
    bool escaped_ = false;
    char previous_ = 0;
};

}  // namespace opispool::opi
