// SPDX-License-Identifier: AGPL-3.0-or-later
// The comments of one OPI block, read into numbers and names. Order does not matter, spelling is tolerant where
// producers are known to differ, values are not: a number that can't be read is a problem of the block, never a
// default.
//
//   source  OPI 1.3 (%ALD... comments), OPI 2.0 (%%BeginOPI ... %%EndOPI), ISO 32000 14.11.7
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "opi/image_request.h"

namespace opispool::opi {

struct OpiComments {
    OpiVersion version = OpiVersion::v1_3;
    std::string filename;      // ImageFilename, decoded
    std::string image_id;      // 1.3 ImageID
    std::string main_image;    // 2.0 MainImage
    std::string tag_image_id;  // TIFF tag 32781 of the placed file: path or id of its original
    std::optional<Size> dimensions;
    std::optional<CropRect> crop_rect, crop_fixed;
    std::optional<std::array<double, 8>> position;  // 1.3: ll, ul, ur, lr
    std::optional<std::string> color_type;          // 1.3: Process, Spot, Separation
    std::optional<std::array<double, 4>> color_cmyk;
    std::string color_name;
    std::optional<double> tint;
    std::optional<bool> overprint, transparency;
    std::vector<std::uint16_t> gray_map;
    // 2.0 only
    bool distilled = false;
    enum class Inks { absent, full_color, registration, monochrome } inks_kind = Inks::absent;
    std::vector<InkLevel> inks;
    std::optional<Size> included_dimensions;
    std::optional<double> included_quality;

    std::vector<std::string> problems;  // values that can't be read
    bool has_name() const { return !filename.empty() || !image_id.empty() || !main_image.empty(); }
    // The name to show people.
    const std::string& shown_name() const {
        return !filename.empty() ? filename : !main_image.empty() ? main_image : image_id;
    }
};

// One comment line with its %%+ continuations joined by a blank: keyword as written, value behind the colon.
struct RawComment {
    std::string keyword;
    std::string value;
};

// 1.3: any "%ALD..." keyword. 2.0: a comment that may stand inside a block.
bool is_opi_1_3_keyword(std::string_view keyword);
bool is_opi_2_0_keyword(std::string_view keyword);

OpiComments parse_opi_comments(OpiVersion version, const std::vector<RawComment>& comments);

// A file name or id: raw to the end of the line, or a PostScript string when it begins with '(' and ends with ')'.
std::string decode_text_value(std::string_view value);

// How a gray or 1-bit picture is to be coloured.
ColourRequest colour_request(const OpiComments& comments);

}  // namespace opispool::opi
