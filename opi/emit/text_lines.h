// SPDX-License-Identifier: AGPL-3.0-or-later
// Bytes as lines of text for 7-bit channels: ASCII85 and hexadecimal, without line or data ends of their own making.
//   source  PLRM 3.3.1 and 3.13.3 (ASCII85Decode, ASCIIHexDecode)
#pragma once

#include <cstddef>
#include <span>

namespace opispool::opi {

// One line with its line end; `out` has room for it: 5 characters for 4 bytes, or 2 for one, and two more.
//   returns  behind the line
char* encode_ascii85_line(std::span<const std::byte> in, char* out);
char* encode_hex_line(std::span<const std::byte> in, char* out);

}  // namespace opispool::opi
