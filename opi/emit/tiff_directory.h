// SPDX-License-Identifier: AGPL-3.0-or-later
// The tags of a TIFF file's picture, read and checked here rather than by libtiff: a tag that points beyond the file,
// too few strips or an absurd size must become a sentence for the operator, where libtiff would go on with a guess.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/mapped_file.h"
#include "base/result.h"

namespace opispool::opi {

namespace tiff {
enum Photometric : std::uint16_t {
    white_is_zero = 0,
    black_is_zero = 1,
    rgb = 2,
    palette = 3,
    mask = 4,
    separated = 5,
    ycbcr = 6,
    cielab = 8,
    icclab = 9,
    itulab = 10,
};
enum Compression : std::uint16_t {
    none = 1,
    ccitt_1d = 2,
    ccitt_g3 = 3,
    ccitt_g4 = 4,
    lzw = 5,
    old_jpeg = 6,
    jpeg = 7,
    deflate = 8,
    packbits = 32773,
    old_deflate = 32946,
};
}  // namespace tiff

// A strip or tile as it lies in the file.
struct TiffBlock {
    std::uint64_t offset_bytes = 0;
    std::uint64_t length_bytes = 0;
};

struct TiffDirectory {
    std::uint64_t offset_bytes = 0;  // of the IFD
    bool big_endian = false;
    std::uint32_t width_px = 0, height_px = 0;
    std::uint16_t bits = 1;  // the same for every sample
    std::uint16_t samples = 1;
    std::uint16_t compression = tiff::none;
    std::uint16_t photometric = tiff::black_is_zero;
    std::uint16_t fill_order = 1;
    int orientation = 1;
    bool planes_apart = false;  // PlanarConfiguration 2
    std::uint16_t predictor = 1;
    std::uint16_t sample_format = 1;
    std::uint16_t ink_set = 1;
    std::uint16_t number_of_inks = 0;
    std::vector<std::string> ink_names;  // InkNames
    std::uint32_t t4_options = 0;
    bool is_layout = false;  // OPIProxy
    std::string image_id;    // ImageID of a layout: path of its original
    std::vector<std::uint16_t> extra_samples;
    std::vector<std::uint16_t> colour_map;
    std::vector<std::uint16_t> dot_range;
    std::string jpeg_tables;
    bool tiled = false;
    std::uint32_t block_width_px = 0;   // of a tile; a strip is as wide as the picture
    std::uint32_t block_height_px = 0;  // of a tile, or RowsPerStrip cut to the picture's height
    std::vector<TiffBlock> blocks;      // plane after plane, row after row; empty when read for a probe

    std::uint32_t blocks_across() const { return tiled ? (width_px + block_width_px - 1) / block_width_px : 1; }
    std::uint32_t blocks_down() const { return (height_px + block_height_px - 1) / block_height_px; }
    std::uint64_t blocks_per_plane() const { return std::uint64_t{blocks_across()} * blocks_down(); }
    std::uint32_t planes() const { return planes_apart ? samples : 1U; }
    // Rows of the strip with this number within its plane; the last one may be shorter.
    std::uint32_t rows_in_strip(std::uint64_t strip) const;
    // Bytes of one row of one plane.
    std::uint64_t row_bytes() const;
};

// "strip 3 of 12 ends after 5 of 10 rows; the file is truncated or damaged", for the row that could not be read.
std::string short_strip_text(const TiffDirectory& directory, std::uint64_t row);

enum class TiffDetail : std::uint8_t {
    header,    // no strip table, no colour map
    complete,  // everything, and every strip lies inside the file
};

// Reads the first picture that is not a thumbnail.
//   errors   bad_image saying which tag is wrong; unsupported: samples of unequal depth
//   thread   any          cost  header: two or three small reads
Result<TiffDirectory> read_tiff_directory(const MappedFile& file, TiffDetail detail);

}  // namespace opispool::opi
