// SPDX-License-Identifier: AGPL-3.0-or-later
// What the samples of a TIFF mean, or the reason why they can't be placed exactly.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/mapped_file.h"
#include "base/result.h"
#include "opi/emit/row_convert.h"
#include "opi/emit/tiff_directory.h"
#include "opi/image_request.h"

namespace opispool::opi {

struct TiffModel {
    enum class Colour : std::uint8_t { gray, rgb, cmyk, palette, inks };
    Colour colour = Colour::gray;
    bool white_is_zero = false;     // gray
    bool as_rgb = false;            // libtiff has to convert to RGB
    std::vector<std::string> inks;  // cmyk, inks: of each channel that is sent, process inks by their English names
    RowFormat format;               // of decoded rows; `map` unset
};

// Sends one channel only, for a plate.
void pick_channel(TiffModel& model, std::size_t channel);

// Reads tags only; works on a directory read with TiffDetail::header.
//   errors  bad_image: contradictory or unknown tags; unsupported: what to save the picture as instead
Result<TiffModel> classify_tiff(const MappedFile& file, const TiffDirectory& directory, Warnings& warnings);

}  // namespace opispool::opi
