// SPDX-License-Identifier: AGPL-3.0-or-later
// Crop, scale and rotation arithmetic, pure (ref 1.5 and 2.3). The rules that cost plates when wrong: crop y runs down,
// corners come ll, ul, ur, lr, crops are ratios of ImageDimensions and not pixels of the high-resolution file.
#pragma once

#include <array>

#include "base/result.h"
#include "opi/image_request.h"
#include "opi/opi_comments.h"

namespace opispool::opi {

// ---- OPI 1.3
struct Placement13 {
    Matrix crop_to_user;  // M_crop: unit square -> cropped picture
    Matrix full_to_user;  // M_full = S x M_crop: unit square -> whole picture
    CropRect crop;        // in pixels of `dimensions`
    Size dimensions;
    bool cropped = false;  // crop differs from the whole picture
};

// file  pixels (or points of an EPS) of the upright high-resolution picture, used where ImageDimensions is missing
//   errors  bad_syntax with the sentence for the operator: position missing, no parallelogram, no area, crop empty or
//   outside
Result<Placement13> place_1_3(const OpiComments& comments, Size file);

// S: unit square of the whole picture -> unit square of the crop.
Matrix crop_scale(Size dimensions, const CropRect& crop);

// ---- OPI 2.0
// The rectangle of the whole picture, in pixels of ImageDimensions, that the producer's unit square shows (ref 2.3,
// steps 1-6).
struct UnitSquare20 {
    CropRect shown;
    Size dimensions;
    Matrix full_to_user;  // S for `shown`
    bool cropped = false;
};
Result<UnitSquare20> place_2_0(const OpiComments& comments, Size file);

// |aspect of the file / aspect the layout saw - 1|: above 0.01 is worth a warning, above 0.05 is another picture.
double aspect_mismatch(Size dimensions, Size file);

}  // namespace opispool::opi
