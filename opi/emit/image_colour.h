// SPDX-License-Identifier: AGPL-3.0-or-later
// How a 1-bit or gray picture takes its colour from the comments (ref 1.6): colour space or current colour, Decode, and
// whether it is a mask. Pure text; no pixels.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "opi/emit/ink_space.h"
#include "opi/image_request.h"

namespace opispool::opi {

struct GrayPaint {
    std::string setup;   // PostScript that sets the colour space or colour; whole lines
    std::string decode;  // "[0 1]"
    bool mask = false;   // paint with imagemask
    int language_level = 2;
    std::vector<Ink> inks;  // paint_gray: what it prints with
    bool on_plate = true;   // paint_gray_plate: false where the plate has none of the picture's inks
};

// Ink of the lowest and the highest sample value, 0 = paper, 1 = full; between them it is linear.
struct InkRange {
    double at_zero = 1, at_most = 0;
};

// bits   depth of the samples that are sent: 1, 2, 4, 8
//   errors  unsupported: several inks with a spot among them on a Level 2 device
Result<GrayPaint> paint_gray(std::uint16_t bits, InkRange range, const ColourRequest& colour,
                             const OutputProfile& profile, Warnings& warnings);

// The same on one plate of a separated job: gray for the plate's share of the colour. Where it has none, a mask paints
// paper; an image would too, and need not be sent.
//   inks  takes the names of all inks the picture is printed with
GrayPaint paint_gray_plate(std::uint16_t bits, InkRange range, const ColourRequest& colour, const Plate& plate,
                           std::vector<std::string>& inks);

// The gray map as a table for 8-bit samples; nothing when it changes no sample. The map's index and values are
// brightness (0 = black), whatever the polarity of the file.
std::optional<std::array<std::uint8_t, 256>> gray_map_table(const ColourRequest& colour, bool white_is_zero);

// The ink range of a 1-bit picture after its gray map.
InkRange bilevel_range(const ColourRequest& colour, bool white_is_zero);

// Why a picture in RGB or Lab can't be put on a plate.
Error not_separable(const std::string& file);

// Says in a warning that a colour picture keeps its colours, when the comments ask for another one.
void warn_colour_ignored(const ColourRequest& colour, Warnings& warnings);

// "(name)" with every byte that is not plain ASCII, and ( ) \, written so that any reader gives the same bytes back.
std::string ps_string(std::string_view bytes);
// Shortest text with 9 significant digits, never an exponent.
std::string ps_number(double value);

}  // namespace opispool::opi
