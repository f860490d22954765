// SPDX-License-Identifier: AGPL-3.0-or-later
// Where the picture of one reference goes: the comments' numbers and the file's size to a matrix and a clip.
//
//   Reference + ImageInfo --place_raster / place_eps--> placement for opi/emit
#pragma once

#include <string>

#include "opi/emit/eps_emitter.h"
#include "opi/image_index.h"
#include "opi/image_probe.h"
#include "opi/measured_document.h"
#include "opi/thin_document.h"

namespace opispool::opi {

struct PlacedRaster {
    RasterPlacement placement;
    ImageInfo info;             // as probed, with the orientation that counts here
    std::string before, after;  // PostScript around the picture: clips that were part of a replaced form
};

// The file's size as it is looked at: pixels turned by the orientation, or points of an EPS's box.
Size upright_size(const ImageInfo& info);

// measured   the document: its replaced code is read where it holds the matrix, and run where reading is not enough
// warnings   a shape that differs by more than 1 % from what the layout saw, without the reference's name
//   errors   bad_syntax, bad_image (shape differs by more than 5 %), unsupported: the picture can't be placed
Result<PlacedRaster> place_raster(const Reference& reference, const ImageInfo& info, const FoundImage& found,
                                  MeasuredDocument& measured, Warnings& warnings);
Result<EpsPlacement> place_eps(const Reference& reference, const ImageInfo& info, const FoundImage& found,
                               MeasuredDocument& measured, Warnings& warnings);

}  // namespace opispool::opi
