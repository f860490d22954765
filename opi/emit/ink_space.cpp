// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/emit/ink_space.h"

#include "base/text.h"
#include "opi/emit/image_colour.h"
#include "opi/plate.h"

namespace opispool::opi {

std::array<double, 4> process_alternate(std::size_t index) {
    std::array<double, 4> out{};
    out[index] = 1;
    return out;
}

std::vector<Ink> process_inks() {
    std::vector<Ink> out;
    for (std::size_t i = 0; i < process_ink_names.size(); ++i)
        out.push_back({std::string(process_ink_names[i]), 1, process_alternate(i)});
    return out;
}

void note_inks(const std::vector<Ink>& inks, UsedFeatures& used) {
    for (const Ink& ink : inks) {
        if (ink.level <= 0 || ink.name == "All") continue;
        if (const auto process = process_ink_index(ink.name))
            used.process_inks.emplace(process_ink_names[*process]);
        else
            used.spot_inks[ink.name] = ink.alternate;
    }
}

std::optional<std::array<double, 4>> listed_alternate(const OutputProfile& profile, std::string_view name) {
    std::vector<std::string> names;
    for (const InkColour& ink : profile.inks) names.push_back(ink.name);
    const auto index = find_ink(names, name);
    if (!index) return std::nullopt;
    return profile.inks[*index].cmyk;
}

std::string separation_space(const Ink& ink) {
    std::string out = "[/Separation " + ps_string(ink.name) + " cvn /DeviceCMYK {";
    for (std::size_t i = 0; i < 3; ++i) out += "dup " + ps_number(ink.alternate[i]) + " mul exch ";
    return out + ps_number(ink.alternate[3]) + " mul} bind]";
}

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

Result<InkSpace> picture_ink_space(const std::vector<std::string>& inks, const OutputProfile& profile) {
    std::vector<Ink> named;
    for (const std::string& ink : inks) {
        if (const auto process = process_ink_index(ink)) {
            named.push_back({ink, 1, process_alternate(*process)});
            continue;
        }
        const auto alternate = listed_alternate(profile, ink);
        if (!alternate)
            return fail(Code::unsupported, Operation::encode,
                        "the picture has the ink '" + printable(ink) +
                            "', which the queue does not list; give its process equivalent with 'ink = " +
                            printable(ink) + " C M Y K' (opispool resolve: --ink), or save the picture as CMYK");
        named.push_back({ink, 1, *alternate});
    }
    if (named.size() == 1) {
        std::string setup = separation_space(named.front()) + " setcolorspace\n";
        return InkSpace{std::move(setup), 2, std::move(named)};
    }
    if (profile.language_level < 3)
        return fail(Code::unsupported, Operation::encode,
                    "a picture in " + std::to_string(inks.size()) +
                        " inks with a spot ink among them needs a Level 3 device (level = 3); save it as CMYK");
    std::string setup = device_n_space(named) + " setcolorspace\n";
    return InkSpace{std::move(setup), 3, std::move(named)};
}

}  // namespace opispool::opi
