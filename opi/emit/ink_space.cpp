// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/emit/ink_space.h"

#include "opi/emit/image_colour.h"

namespace opispool::opi {

// Tint transform of one ink: t -> C*t M*t Y*t K*t.
std::string separation_space(const Ink& ink) {
    std::string out = "[/Separation " + ps_string(ink.name) + " cvn /DeviceCMYK {";
    for (std::size_t i = 0; i < 3; ++i) out += "dup " + ps_number(ink.alternate[i]) + " mul exch ";
    return out + ps_number(ink.alternate[3]) + " mul} bind]";
}

// Tint transform of n inks: the sum of their alternates, cut at full ink.
std::string device_n_space(const std::vector<Ink>& inks) {
    std::string out = "[/DeviceN [";
    for (const Ink& ink : inks) out += ps_string(ink.name) + " cvn ";
    out += "] /DeviceCMYK\n{";
    const std::size_t n = inks.size();
    for (std::size_t component = 0; component < 4; ++component) {
        out += "0 ";
        for (std::size_t i = 0; i < n; ++i) {
            if (inks[i].alternate[component] == 0) continue;
            // Above the ink on the stack: the later inks, the finished components and the running sum.
            out += std::to_string(n - 1 - i + component + 1) + " index " + ps_number(inks[i].alternate[component]) +
                   " mul add ";
        }
        out += "dup 1 gt {pop 1} if\n";
    }
    return out + std::to_string(n + 4) + " 4 roll " + std::to_string(n) + " {pop} repeat} bind]";
}

}  // namespace opispool::opi
