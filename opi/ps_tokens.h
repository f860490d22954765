// SPDX-License-Identifier: AGPL-3.0-or-later
// The tokens of a PostScript program (PLRM 3.2), and where each ends: what stands behind `image` is data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "opi/byte_source.h"

namespace opispool::opi {

struct PsToken {
    enum class Kind : std::uint8_t { number, name, literal, immediate, string, open, close };
    Kind kind = Kind::name;
    std::string text;  // decoded; "[", "<<" and their like are names; { and } are open and close
    double number = 0;
};

class PsTokens {
  public:
    static constexpr std::size_t max_token_bytes = 65535;

    // source  outlives this object
    explicit PsTokens(ByteSource& source) : source_(source) {}

    // Nothing at the end, and when the program breaks off or holds what is no token: then good() is false.
    std::optional<PsToken> next();
    bool good() const { return good_; }
    // Behind the last token and the one blank or line end that closes it.
    std::uint64_t position_bytes() const { return position_; }
    void move_to(std::uint64_t offset_bytes);

  private:
    int peek();
    void skip_blanks();
    std::optional<PsToken> text_string();
    std::optional<PsToken> angle();
    std::optional<PsToken> hex_string();
    std::optional<PsToken> bad();
    std::string regular();
    void take_blank();
    void take_escape(std::string& out);

    ByteSource& source_;
    std::string_view window_;
    std::uint64_t window_begin_ = 0, position_ = 0;
    bool good_ = true;
};

}  // namespace opispool::opi
