// SPDX-License-Identifier: AGPL-3.0-or-later
// Text helpers without a word about printing: checked numbers, trimming, quoting for people and machines.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace opispool {

// The value if it fits `To`, else nothing. Every narrowing in the project goes through here.
template <typename To, typename From>
constexpr std::optional<To> checked_cast(From value) {
    static_assert(std::is_integral_v<To> && std::is_integral_v<From>);
    if (!std::in_range<To>(value)) return std::nullopt;
    return static_cast<To>(value);
}

// Whole-string numbers: no blanks, no sign for unsigned, no overflow; otherwise nothing.
std::optional<std::uint64_t> parse_u64(std::string_view text);
std::optional<std::int64_t> parse_i64(std::string_view text);
// Decimal real as PostScript and DSC write it: sign, digits, point, exponent; never "nan", "inf" or hexadecimal.
std::optional<double> parse_real(std::string_view text);

std::string_view trim(std::string_view text);                      // blanks, tabs, CR, LF at both ends
std::vector<std::string_view> split_blank(std::string_view text);  // fields between runs of blanks and tabs
std::string to_lower_ascii(std::string_view text);
bool equals_ignoring_case(std::string_view a, std::string_view b);  // ASCII letters only
bool starts_with_ignoring_case(std::string_view text, std::string_view prefix);

// For log lines and error texts: valid UTF-8 stays, every other byte and every control character becomes \xNN.
std::string printable(std::string_view bytes);

// A JSON string literal with its quotes; bytes that are not UTF-8 are taken as Latin-1 so that the result is always
// valid.
std::string json_quoted(std::string_view bytes);

bool is_valid_utf8(std::string_view bytes);

// Decimal form with nine significant digits (PostScript reals are 32-bit floats): no exponent, no trailing zeros, no
// "-0".
std::string format_real(double value);

// "1.2 GB", "40 KB" (powers of 1000), for people only.
std::string format_bytes(std::uint64_t bytes);

}  // namespace opispool
