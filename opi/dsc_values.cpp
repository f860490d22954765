// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/dsc_values.h"

#include <algorithm>

namespace opispool::opi {

// \n \r \t \b \f \\ \( \) \ooo, backslash before a line end is nothing, before anything else is dropped.
std::string unescape_ps_string(std::string_view body) {
    std::string out;
    for (std::size_t i = 0; i < body.size(); ++i) {
        if (body[i] != '\\' || i + 1 == body.size()) {
            out += body[i];
            continue;
        }
        const char c = body[++i];
        static constexpr std::string_view letters = "nrtbf";
        static constexpr std::string_view values = "\n\r\t\b\f";
        if (const auto letter = letters.find(c); letter != std::string_view::npos) {
            out += values[letter];
        } else if (c >= '0' && c <= '7') {
            unsigned value = 0;
            std::size_t digits = 0;
            while (digits < 3 && i < body.size() && body[i] >= '0' && body[i] <= '7') {
                value = value * 8 + static_cast<unsigned>(body[i] - '0');
                ++i;
                ++digits;
            }
            --i;
            out += static_cast<char>(value & 0xFFU);
        } else {
            out += c;
        }
    }
    return out;
}

std::optional<DscToken> take_dsc_token(std::string_view& rest) {
    const auto start = rest.find_first_not_of(" \t");
    if (start == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(start);
    if (rest[0] != '(') {
        const std::size_t end = std::min(rest.find_first_of(" \t("), rest.size());
        DscToken word{std::string(rest.substr(0, end)), false};
        rest.remove_prefix(end);
        return word;
    }
    int depth = 0;
    std::size_t i = 0;
    for (; i < rest.size(); ++i) {
        if (rest[i] == '\\') {
            ++i;
        } else if (rest[i] == '(') {
            ++depth;
        } else if (rest[i] == ')' && --depth == 0) {
            break;
        }
    }
    // An unclosed string runs to the end of the line: producers forget the last parenthesis.
    const std::size_t end = std::min(i, rest.size());
    DscToken string{unescape_ps_string(rest.substr(1, end - 1)), true};
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return string;
}

}  // namespace opispool::opi
