// SPDX-License-Identifier: AGPL-3.0-or-later
// Bytes as lines of text for 7-bit channels: ASCII85 and hexadecimal, without line or data ends of their own making.
//   source  PLRM 3.3.1 and 3.13.3 (ASCII85Decode, ASCIIHexDecode)
#pragma once

#include <cstddef>
#include <span>

namespace opispool::opi {

constexpr std::size_t text_slack_bytes = 8;

// One line with its line end; `out` has room for it: 5 characters for 4 bytes, or 2 for one, and two more. What lies
// behind the line may be written to as well, for text_slack_bytes.
//   returns  behind the line
char* encode_ascii85_line(std::span<const std::byte> in, char* out);
// The same for every kind of machine: encode_ascii85_line uses AVX2 where there is one.
char* encode_ascii85_line_by_words(std::span<const std::byte> in, char* out);
char* encode_hex_line(std::span<const std::byte> in, char* out);

}  // namespace opispool::opi
