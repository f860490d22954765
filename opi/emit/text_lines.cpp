// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/emit/text_lines.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace opispool::opi {

namespace {

// Two base-85 digits, or two hexadecimal ones, at a time: a table of pairs halves the divisions.
constexpr std::uint32_t pairs_85 = 85 * 85;
using Pair = std::array<char, 2>;

constexpr auto ascii85_pairs = [] {
    std::array<Pair, pairs_85> pairs{};
    for (std::uint32_t i = 0; i < pairs_85; ++i)
        pairs[i] = {static_cast<char>('!' + i / 85), static_cast<char>('!' + i % 85)};
    return pairs;
}();

constexpr auto hex_pairs = [] {
    constexpr std::string_view digits = "0123456789abcdef";
    std::array<Pair, 256> pairs{};
    for (std::size_t i = 0; i < 256; ++i) pairs[i] = {digits[i >> 4U], digits[i & 15U]};
    return pairs;
}();

void put_ascii85_group(std::uint32_t group, char* out) {
    const std::uint32_t upper = group / pairs_85;
    out[0] = static_cast<char>('!' + upper / pairs_85);
    std::memcpy(out + 1, ascii85_pairs[upper % pairs_85].data(), 2);
    std::memcpy(out + 3, ascii85_pairs[group % pairs_85].data(), 2);
}

}  // namespace

char* encode_ascii85_line(std::span<const std::byte> in, char* out) {
    // A line that began with '%' would look like a comment to a DSC reader. The blank is always there, because a length
    // that depended on the data could not be known in advance.
    *out++ = ' ';
    const std::size_t whole = in.size() / 4 * 4;
    for (std::size_t at = 0; at < whole; at += 4, out += 5) {
        std::uint32_t group = 0;
        for (std::size_t i = 0; i < 4; ++i) group = (group << 8U) | std::to_integer<std::uint32_t>(in[at + i]);
        put_ascii85_group(group, out);
    }
    if (const std::size_t rest = in.size() - whole; rest > 0) {
        std::uint32_t group = 0;
        for (std::size_t i = 0; i < 4; ++i)
            group = (group << 8U) | (i < rest ? std::to_integer<std::uint32_t>(in[whole + i]) : 0U);
        std::array<char, 5> digits{};
        put_ascii85_group(group, digits.data());
        out = std::copy_n(digits.begin(), rest + 1, out);
    }
    *out++ = '\n';
    return out;
}

char* encode_hex_line(std::span<const std::byte> in, char* out) {
    for (const std::byte b : in) {
        std::memcpy(out, hex_pairs[std::to_integer<std::size_t>(b)].data(), 2);
        out += 2;
    }
    *out++ = '\n';
    return out;
}

}  // namespace opispool::opi
