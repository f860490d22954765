// SPDX-License-Identifier: AGPL-3.0-or-later
// Proves that a plate of a DCS is one picture of gray samples and nothing else, and says where its samples lie.
//
// The plate is a PostScript program. It is run here, word by word, by a reader that knows only what such plates are
// made of: definitions, conditions, matrices, `image`. Anything else (a fill, a text, a clip, a second picture, a word
// it does not know) is an error: what can't be proved is not recombined.
#pragma once

#include <cstdint>
#include <memory>

#include "opi/dcs_file.h"
#include "opi/emit/encoders.h"
#include "opi/matrix.h"

namespace opispool::opi {

struct PlateRaster {
    std::uint32_t width_px = 0, height_px = 0;
    std::uint16_t bits = 8;  // 1, 2, 4, 8
    Matrix unit_to_eps;      // unit square of the picture, y up, first row at the top -> the EPS's space
    std::shared_ptr<const ByteSupply> rows;  // samples, 0 = full ink
};

//   errors  unsupported: not a plain picture, with the word that says so; bad_image: its data ends early; io, changed
//   cost    reads the plate once to its end; bounded steps and memory
Result<PlateRaster> read_plate_raster(const LocatedPlate& plate);

}  // namespace opispool::opi
