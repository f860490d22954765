// SPDX-License-Identifier: AGPL-3.0-or-later
// The words and strings that DSC and OPI comments have for values.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace opispool::opi {

struct DscToken {
    std::string text;  // decoded
    bool is_string = false;
};

// Takes the next token off the front of `rest`: a PostScript string with balanced parentheses, or a word. Nothing when
// only blanks are left.
std::optional<DscToken> take_dsc_token(std::string_view& rest);

// The escapes of a PostScript string resolved (PLRM 3.2.2); `body` without the outer parentheses.
std::string unescape_ps_string(std::string_view body);

}  // namespace opispool::opi
