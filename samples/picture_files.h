// SPDX-License-Identifier: AGPL-3.0-or-later
// Writes the sample pictures as a scanner or a photographer would hand them over, and reads the pixels back for the
// truth.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace opispool::samples {

// Rows from top to bottom, samples side by side, rows padded to whole bytes when a sample has one bit.
struct Pixels {
    std::uint32_t width_px = 0, height_px = 0;
    int channels = 1, bits = 8;
    std::vector<std::uint8_t> data;
    std::size_t row_bytes() const {
        return (static_cast<std::size_t>(width_px) * static_cast<std::size_t>(channels * bits) + 7) / 8;
    }
};

// How a TIFF is stored: the numbers of the tags Compression, PhotometricInterpretation and RowsPerStrip (or a square
// tile).
struct TiffForm {
    std::uint16_t compression = 1, photometric = 1;
    std::uint16_t predictor = 1;  // LZW and Deflate only
    std::uint32_t rows_per_strip = 64;
    std::uint32_t tile_px = 0;  // 0 = strips
    const char* mode = "w";     // libtiff's: "wl" little-endian, "wb" big-endian
};

//   errors  io
Result<void> write_tiff(const std::string& path, const Pixels& pixels, const TiffForm& form);
// pixels  RGB      errors  io
Result<void> write_jpeg(const std::string& path, const Pixels& pixels, int quality);

// The file's pixels as libtiff and libjpeg decode them: what must be on paper.
//   errors  bad_image, io
Result<Pixels> read_tiff(const std::string& path);
Result<Pixels> read_jpeg(const std::string& path);

Result<void> write_file(const std::string& path, const void* bytes, std::size_t length_bytes);

}  // namespace opispool::samples
