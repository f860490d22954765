// SPDX-License-Identifier: AGPL-3.0-or-later
// Walks one compressed strip without keeping its pixels, to prove before byte one that a RIP's filter will find every
// row. Pure functions of a range of a file: they can be run in any order, at once, and their answers kept.
#pragma once

#include <cstdint>

#include "base/mapped_file.h"
#include "base/result.h"

namespace opispool::opi {

struct StripCheck {
    std::uint64_t decoded_bytes = 0;
    bool has_end_mark = false;   // EOI code of LZW, end of the zlib stream; PackBits has none and says true
    bool old_style_lzw = false;  // bits packed from the low end, codes change late: no PostScript filter reads it
    bool has_no_op = false;      // PackBits 0x80, which RunLengthDecode takes for the end of data
    bool damaged = false;        // the data breaks its own grammar after `decoded_bytes`
};

// The new style begins with a 9-bit clear code from the high end, 0x80 0x00...; the old one with the same code from the
// low end: 0x00 0x01. PostScript reads the new one only.
Result<bool> is_old_style_lzw(const MappedFile& file, std::uint64_t offset, std::uint64_t length);

// offset, length  the strip;  needed_bytes  counting may stop once it is clear that there is more
//   errors  changed, io (damage is part of the answer)      cost  reads the strip once, through 64 KB unless
//   it is a Deflate strip of 4 MB or less
Result<StripCheck> check_lzw(const MappedFile& file, std::uint64_t offset, std::uint64_t length,
                             std::uint64_t needed_bytes);
Result<StripCheck> check_deflate(const MappedFile& file, std::uint64_t offset, std::uint64_t length,
                                 std::uint64_t needed_bytes);
Result<StripCheck> check_packbits(const MappedFile& file, std::uint64_t offset, std::uint64_t length,
                                  std::uint64_t needed_bytes);

}  // namespace opispool::opi
