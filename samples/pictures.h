// SPDX-License-Identifier: AGPL-3.0-or-later
// The scenes of the sample pictures, computed from nothing but a position: the same on every machine and at every size.
#pragma once

#include <cstdint>

namespace opispool::samples {

// Light, 0..1 per channel.
struct Rgb {
    double r = 0, g = 0, b = 0;
};

// Each takes a place in the picture, u from left to right and v from top to bottom, both 0..1, and gives its colour.
// Pictures are meant for the aspect ratio in the comment.
Rgb harbour_at_dusk(double u, double v);        // 3:2
Rgb fruit_on_a_table(double u, double v);       // 1:1
Rgb balloons_over_hills(double u, double v);    // 3:2
double dunes_by_moonlight(double u, double v);  // 3:2, brightness
bool sea_chart_ink(double u, double v);         // 3:2, line art: true where there is ink

// Film grain, -1..1, from pixel numbers, so that the data compresses as a photograph does.
double grain(std::uint32_t x, std::uint32_t y, std::uint32_t channel);

}  // namespace opispool::samples
