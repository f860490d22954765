// SPDX-License-Identifier: AGPL-3.0-or-later
// Colour spaces of named inks: Separation and DeviceN with a tint transform to CMYK for devices that lack the plate.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "base/result.h"
#include "opi/image_request.h"

namespace opispool::opi {

struct Ink {
    std::string name;
    double level = 1;
    std::array<double, 4> alternate{0, 0, 0, 1};  // CMYK of the full ink
};

std::array<double, 4> process_alternate(std::size_t index);
std::vector<Ink> process_inks();  // all four, full

// Adds the inks that something prints with to those of the job's header; registration names none.
void note_inks(const std::vector<Ink>& inks, UsedFeatures& used);

// The CMYK equivalent that the queue gives an ink.
std::optional<std::array<double, 4>> listed_alternate(const OutputProfile& profile, std::string_view name);

// "[/Separation (name) cvn /DeviceCMYK {...}]": Level 2. t becomes C*t M*t Y*t K*t.
std::string separation_space(const Ink& ink);
// "[/DeviceN [...] /DeviceCMYK {...}]": Level 3. The alternate is the sum of the inks' alternates, cut at full ink.
std::string device_n_space(const std::vector<Ink>& inks);

struct InkSpace {
    std::string setup;  // whole lines
    int language_level = 2;
    std::vector<Ink> inks;
};

// The space of a picture whose channels are these inks.
//   errors  unsupported: an ink that the queue does not list, or several on a Level 2 device
Result<InkSpace> picture_ink_space(const std::vector<std::string>& inks, const OutputProfile& profile);

}  // namespace opispool::opi
