// SPDX-License-Identifier: AGPL-3.0-or-later
// Decodes the data of an image inside a PostScript program, as the program's own filters would: for the plates of a
// DCS.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "opi/emit/encoders.h"

namespace opispool::opi {

enum class PsFilter : std::uint8_t {
    hex_string,  // readhexstring: everything but hexadecimal digits is passed over, nothing ends it
    ascii_hex,   // ASCIIHexDecode
    ascii_85,    // ASCII85Decode
    run_length,  // RunLengthDecode
};

// `input` through the filters, the first one next to the input; `length_bytes` of what comes out, which must be there.
//   errors of reading: bad_image (ends early, a character that can't be), io, changed
std::shared_ptr<const ByteSupply> make_filtered_supply(std::shared_ptr<const ByteSupply> input,
                                                       std::vector<PsFilter> filters, std::uint64_t length_bytes,
                                                       std::string where);

// Reads such data once and keeps nothing.
//   decoded_bytes  what to read; everything up to the end mark if absent
struct FilterCount {
    std::uint64_t taken_bytes = 0;  // of the input
    std::uint64_t decoded_bytes = 0;
};
Result<FilterCount> count_filtered(const ByteSupply& input, const std::vector<PsFilter>& filters,
                                   std::optional<std::uint64_t> decoded_bytes, const std::string& where);

}  // namespace opispool::opi
