// SPDX-License-Identifier: AGPL-3.0-or-later
// %%Distilled blocks carry their matrix and clip inside the included image (ref 2.5): read them from the code before
// the image operator, as long as that code is of the few words a PDF converter writes. Anything else is not guessed.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "opi/image_request.h"

namespace opispool::opi {

struct FormPlacement {
    Matrix unit_to_outer;                     // unit square of the proxy image -> user space at %%BeginIncludedImage
    std::vector<std::array<Point, 4>> clips;  // in that user space, in order
};

// code  the included image from behind its comments; the first 64 KiB are enough
//   errors  unsupported: a word that is not understood before the image, or no image found
Result<FormPlacement> read_form_placement(std::string_view code);

}  // namespace opispool::opi
