// SPDX-License-Identifier: AGPL-3.0-or-later
// JPEG data: what its markers say, the proof that every row can be decoded, and what is sent when DCTDecode may not
// read the data as it lies in the file: the same coefficients in one scan, or decoded rows.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "opi/emit/encoders.h"

namespace opispool::opi {

struct JpegHeader {
    std::uint8_t frame = 0;  // SOF marker: 0xC0 baseline, 0xC1 extended, 0xC2 progressive
    std::uint8_t precision = 8;
    std::uint32_t width_px = 0, height_px = 0;
    int components = 0;
    std::optional<int> adobe_transform;  // APP14
    int orientation = 1;                 // EXIF
};

enum class JpegColour : std::uint8_t { gray, rgb, ycbcr, cmyk, ycck };

struct JpegCheck {
    JpegColour colour = JpegColour::gray;
    std::uint64_t end_bytes = 0;  // behind EOI, or of the data when EOI is missing
    bool has_end_mark = true;
    bool one_scan = true;  // false: progressive, or each channel on its own
};

// Walks the markers up to the first scan.
//   errors  bad_image, io, changed
Result<JpegHeader> read_jpeg_header(const ByteSupply& data, const std::string& where);

// Says why a frame can't be placed: unsupported (12 bits, arithmetic, lossless, two components) or bad_image (absurd
// size).
Result<void> check_jpeg_frame(const JpegHeader& header, const std::string& where);

// Decodes everything once, keeps nothing.
//   errors  bad_image: rows are missing or damaged      cost  one decode, memory of a few rows (many scans: the
//   coefficients of the whole picture)
Result<JpegCheck> check_jpeg(const ByteSupply& data, const std::string& where);

// The picture as one sequential scan, without loss. Level 2 RIPs know nothing else.
//   errors  bad_image, changed, io; unsupported: can't be one scan, send decoded rows
//   cost    here and at each open(): the coefficients of the whole picture in memory; the result while it is read
Result<std::shared_ptr<const ByteSupply>> make_sequential_jpeg(std::shared_ptr<const ByteSupply> data,
                                                               const std::string& where);

// Decoded rows, 8 bits, as DCTDecode would give them: gray, RGB, or CMYK in the file's own polarity.
std::shared_ptr<const ByteSupply> make_jpeg_rows(std::shared_ptr<const ByteSupply> data, const JpegHeader& header,
                                                 std::string where);

}  // namespace opispool::opi
