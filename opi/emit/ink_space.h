// SPDX-License-Identifier: AGPL-3.0-or-later
// Colour spaces of named inks, with what they look like where their plates are missing.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace opispool::opi {

struct Ink {
    std::string name;
    double level = 1;
    std::array<double, 4> alternate{0, 0, 0, 1};  // CMYK of the full ink
};

// "[/Separation (name) cvn /DeviceCMYK {...}]": Level 2.
std::string separation_space(const Ink& ink);

// "[/DeviceN [...] /DeviceCMYK {...}]": Level 3. The alternate is the sum of the inks' alternates, cut at full ink.
std::string device_n_space(const std::vector<Ink>& inks);

}  // namespace opispool::opi
