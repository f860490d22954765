// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/emit/image_colour.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "base/text.h"
#include "opi/emit/ink_space.h"

namespace opispool::opi {

namespace {

constexpr std::array<std::string_view, 4> german_names{"Cyan", "Magenta", "Gelb", "Schwarz"};

// The device colour that a picture's ink is mixed from.
struct InkMix {
    enum class Kind { gray, cmyk, one, several };
    Kind kind = Kind::gray;
    double tint = 1;               // gray
    std::array<double, 4> cmyk{};  // cmyk
    std::vector<Ink> inks;         // one, several
};

double unit(double value) {
    return std::clamp(value, 0.0, 1.0);
}

std::optional<std::size_t> process_index(std::string_view name, const std::array<double, 4>* cmyk) {
    for (std::size_t i = 0; i < process_ink_names.size(); ++i) {
        if (equals_ignoring_case(name, process_ink_names[i])) return i;
        // A localised name is taken for the process ink only when its colour says the same; a spot may be called
        // "Gelb".
        if (cmyk != nullptr && *cmyk == process_alternate(i) && equals_ignoring_case(name, german_names[i])) return i;
    }
    return std::nullopt;
}

Ink process_ink(std::size_t index, double level) {
    return {std::string(process_ink_names[index]), level, process_alternate(index)};
}

InkMix single(Ink ink) {
    InkMix mix;
    mix.kind = InkMix::Kind::one;
    mix.inks.push_back(std::move(ink));
    return mix;
}

// Levels of the four process inks.
InkMix process_mix(const std::array<double, 4>& levels, const ColourRequest& colour, const OutputProfile& profile,
                   Warnings& warnings) {
    std::vector<Ink> inks;
    for (std::size_t i = 0; i < 4; ++i)
        if (levels[i] > 0) inks.push_back(process_ink(i, levels[i]));
    if (inks.size() == 1) return single(std::move(inks.front()));
    InkMix mix;
    mix.kind = InkMix::Kind::cmyk;
    mix.cmyk = levels;
    // DeviceCMYK would set the unused plates to zero; only a space without them lets those plates keep what they have.
    if (colour.overprint.value_or(false) && inks.size() > 1) {
        if (profile.language_level >= 3) {
            mix.kind = InkMix::Kind::several;
            mix.inks = std::move(inks);
        } else {
            warnings.emplace_back(
                "overprint of several inks needs a Level 3 device; the other process plates are knocked out");
        }
    }
    return mix;
}

Result<InkMix> named_mix(const ColourRequest& colour, const OutputProfile& profile, Warnings& warnings) {
    std::array<double, 4> levels{};
    std::vector<Ink> inks;
    bool spot = false;
    for (const InkLevel& ink : colour.inks) {
        const double level = unit(ink.level * colour.tint);
        if (auto index = process_index(ink.name, nullptr)) {
            levels[*index] = std::max(levels[*index], level);
            continue;
        }
        const bool all = ink.name == "All";
        const auto listed = listed_alternate(profile, ink.name);
        if (!all && !listed)
            warnings.push_back("no process equivalent is given for ink '" + printable(ink.name) +
                               "'; where its plate is missing it prints as black");
        spot = true;
        auto same = std::find_if(inks.begin(), inks.end(), [&](const Ink& other) { return other.name == ink.name; });
        if (same == inks.end())
            inks.push_back(
                {ink.name, level,
                 all ? std::array<double, 4>{1, 1, 1, 1} : listed.value_or(std::array<double, 4>{0, 0, 0, 1})});
        else
            same->level = std::max(same->level, level);
    }
    if (!spot) return process_mix(levels, colour, profile, warnings);
    for (std::size_t i = 0; i < 4; ++i)
        if (levels[i] > 0) inks.push_back(process_ink(i, levels[i]));
    if (inks.size() == 1) return single(std::move(inks.front()));
    if (profile.language_level < 3)
        return fail(Code::unsupported, Operation::encode,
                    "a picture in several inks with a spot ink among them needs a Level 3 device; print it on one, or "
                    "choose one ink");
    InkMix mix;
    mix.kind = InkMix::Kind::several;
    mix.inks = std::move(inks);
    return mix;
}

Result<InkMix> mix_of(const ColourRequest& colour, const OutputProfile& profile, Warnings& warnings) {
    const double tint = unit(colour.tint);
    using Kind = ColourRequest::Kind;
    switch (colour.kind) {
        case Kind::registration:
            return single({"All", tint, {1, 1, 1, 1}});
        case Kind::spot: {
            if (colour.spot_name == "All" || equals_ignoring_case(colour.spot_name, "Registration"))
                return single({"All", tint, {1, 1, 1, 1}});
            // Separation /None marks nothing at all; what is asked for is paper, and so a knock-out.
            if (colour.spot_name == "None") return process_mix({0, 0, 0, 0}, colour, profile, warnings);
            if (auto index = process_index(colour.spot_name, &colour.cmyk)) return single(process_ink(*index, tint));
            if (!colour.spot_name.empty()) return single({colour.spot_name, tint, colour.cmyk});
            [[fallthrough]];
        }
        case Kind::process: {
            std::array<double, 4> levels{};
            for (std::size_t i = 0; i < 4; ++i) levels[i] = unit(colour.cmyk[i]) * tint;
            return process_mix(levels, colour, profile, warnings);
        }
        case Kind::inks:
            if (!colour.inks.empty()) return named_mix(colour, profile, warnings);
            break;
        case Kind::none:
            break;
    }
    // Gray that overprints may touch the black plate only; DeviceGray clears the other three. And a RIP with colour
    // management may make four inks of it.
    if (colour.overprint.value_or(false) || profile.gray_as_black) return single(process_ink(3, tint));
    InkMix mix;
    mix.tint = tint;
    return mix;
}

std::string hex_table(const std::vector<double>& levels, std::size_t entries, InkRange range) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string out = "<";
    std::size_t on_line = 1;
    for (std::size_t v = 0; v < entries; ++v) {
        const double part = entries == 1 ? 0 : static_cast<double>(v) / static_cast<double>(entries - 1);
        const double ink = range.at_zero + (range.at_most - range.at_zero) * part;
        for (double level : levels) {
            const auto byte = static_cast<std::size_t>(std::lround(255.0 * unit(level * ink)));
            out += digits[byte >> 4U];
            out += digits[byte & 15U];
            if ((on_line += 2) >= 72) {
                out += '\n';
                on_line = 0;
            }
        }
    }
    return out + ">";
}

std::string indexed_setup(const std::string& base, const std::vector<double>& levels, std::uint16_t bits,
                          InkRange range) {
    const std::size_t entries = std::size_t{1} << bits;
    return "[/Indexed " + base + " " + std::to_string(entries - 1) + "\n" + hex_table(levels, entries, range) +
           "] setcolorspace\n";
}

std::string decode_pair(double first, double last) {
    return "[" + ps_number(first) + " " + ps_number(last) + "]";
}

std::vector<double> levels_of(const InkMix& mix) {
    if (mix.kind == InkMix::Kind::cmyk) return {mix.cmyk.begin(), mix.cmyk.end()};
    std::vector<double> out;
    for (const Ink& ink : mix.inks) out.push_back(ink.level);
    return out;
}

GrayPaint paint_mask(const InkMix& mix, InkRange range) {
    GrayPaint paint;
    paint.mask = true;
    const bool ones = range.at_most > 0;
    const double ink = ones ? range.at_most : range.at_zero;
    paint.decode = ones ? "[1 0]" : "[0 1]";
    std::string numbers;
    for (double level : levels_of(mix)) numbers += ps_number(level * ink) + " ";
    switch (mix.kind) {
        case InkMix::Kind::gray:
            paint.setup = ps_number(1 - mix.tint * ink) + " setgray\n";
            break;
        case InkMix::Kind::cmyk:
            paint.setup = numbers + "setcmykcolor\n";
            break;
        case InkMix::Kind::one:
            paint.setup = separation_space(mix.inks.front()) + " setcolorspace " + numbers + "setcolor\n";
            break;
        case InkMix::Kind::several:
            paint.setup = device_n_space(mix.inks) + " setcolorspace\n" + numbers + "setcolor\n";
            paint.language_level = 3;
            break;
    }
    return paint;
}

GrayPaint paint_image(const InkMix& mix, InkRange range, std::uint16_t bits) {
    GrayPaint paint;
    paint.decode = decode_pair(0, static_cast<double>((1U << bits) - 1U));
    switch (mix.kind) {
        case InkMix::Kind::gray:
            paint.setup = "/DeviceGray setcolorspace\n";
            paint.decode = decode_pair(1 - mix.tint * range.at_zero, 1 - mix.tint * range.at_most);
            break;
        case InkMix::Kind::one:
            paint.setup = separation_space(mix.inks.front()) + " setcolorspace\n";
            paint.decode = decode_pair(mix.inks.front().level * range.at_zero, mix.inks.front().level * range.at_most);
            break;
        case InkMix::Kind::cmyk:
            paint.setup = indexed_setup("/DeviceCMYK", levels_of(mix), bits, range);
            break;
        case InkMix::Kind::several:
            paint.setup = indexed_setup(device_n_space(mix.inks), levels_of(mix), bits, range);
            paint.language_level = 3;
            break;
    }
    return paint;
}

// The inks of a mix with the strength each is printed at.
std::vector<Ink> inks_of(const InkMix& mix) {
    if (mix.kind == InkMix::Kind::gray) return {process_ink(3, mix.tint)};
    if (mix.kind != InkMix::Kind::cmyk) return mix.inks;
    std::vector<Ink> inks;
    for (std::size_t i = 0; i < 4; ++i) inks.push_back(process_ink(i, mix.cmyk[i]));
    return inks;
}

// Ink on both values of a 1-bit picture leaves nothing transparent: that is an image.
bool is_mask(std::uint16_t bits, InkRange range, const ColourRequest& colour) {
    return bits == 1 && colour.transparent && (range.at_zero > 0) != (range.at_most > 0);
}

// The map at brightness 0..1, between its values by straight lines.
double mapped(const std::vector<std::uint16_t>& map, double brightness) {
    const double at = brightness * static_cast<double>(map.size() - 1);
    const auto low = std::min(static_cast<std::size_t>(at), map.size() - 2);
    const double part = at - static_cast<double>(low);
    return (map[low] * (1 - part) + map[low + 1] * part) / 65535.0;
}

}  // namespace

Result<GrayPaint> paint_gray(std::uint16_t bits, InkRange range, const ColourRequest& colour,
                             const OutputProfile& profile, Warnings& warnings) {
    auto mix = mix_of(colour, profile, warnings);
    if (!mix) return fail(std::move(mix.error()));
    GrayPaint paint = is_mask(bits, range, colour) ? paint_mask(*mix, range) : paint_image(*mix, range, bits);
    paint.inks = inks_of(*mix);
    return paint;
}

GrayPaint paint_gray_plate(std::uint16_t bits, InkRange range, const ColourRequest& colour, const Plate& plate,
                           std::vector<std::string>& inks) {
    const OutputProfile any;  // one plate asks nothing of the device, so there is nothing to warn of
    Warnings unheard;
    const auto mix = mix_of(colour, any, unheard);
    std::vector<std::string> names;
    std::vector<double> levels;
    InkMix share;
    share.tint = 0;
    for (const Ink& ink : mix ? inks_of(*mix) : std::vector<Ink>{}) {
        if (ink.level <= 0) continue;
        if (ink.name == "All") {
            share.tint = ink.level;
            continue;
        }
        names.push_back(ink.name);
        levels.push_back(ink.level);
    }
    if (const auto index = find_ink(names, plate.ink)) share.tint = levels[*index];
    inks.insert(inks.end(), names.begin(), names.end());
    GrayPaint paint = is_mask(bits, range, colour) ? paint_mask(share, range) : paint_image(share, range, bits);
    paint.on_plate = share.tint > 0;
    return paint;
}

std::optional<std::array<std::uint8_t, 256>> gray_map_table(const ColourRequest& colour, bool white_is_zero) {
    if (colour.gray_map.size() < 2) return std::nullopt;
    std::array<std::uint8_t, 256> table{};
    bool identity = true;
    for (std::size_t v = 0; v < table.size(); ++v) {
        const double sample = static_cast<double>(v) / 255.0;
        const double result = mapped(colour.gray_map, white_is_zero ? 1 - sample : sample);
        table[v] = static_cast<std::uint8_t>(std::lround(255.0 * (white_is_zero ? 1 - result : result)));
        identity = identity && table[v] == v;
    }
    if (identity) return std::nullopt;
    return table;
}

InkRange bilevel_range(const ColourRequest& colour, bool white_is_zero) {
    InkRange range{1, 0};
    if (colour.gray_map.size() >= 2) range = {1 - mapped(colour.gray_map, 0), 1 - mapped(colour.gray_map, 1)};
    if (white_is_zero) std::swap(range.at_zero, range.at_most);
    return range;
}

Error not_separable(const std::string& file) {
    return Error{Code::unsupported, Operation::place,
                 "the page is one plate of a separated job, and the picture is not in inks (RGB, Lab or palette); save "
                 "it as CMYK or gray, or print composite",
                 file, std::nullopt};
}

void warn_colour_ignored(const ColourRequest& colour, Warnings& warnings) {
    const bool plain_black =
        colour.kind == ColourRequest::Kind::none ||
        (colour.kind != ColourRequest::Kind::inks && colour.kind != ColourRequest::Kind::registration &&
         colour.cmyk == std::array<double, 4>{0, 0, 0, 1} &&
         (colour.spot_name.empty() || equals_ignoring_case(colour.spot_name, "Black")));
    if (!plain_black || colour.tint != 1)
        warnings.emplace_back(
            "colour and tint of the comments do not apply to a colour picture; it is placed in its own colours");
    if (!colour.gray_map.empty() && gray_map_table(colour, false))
        warnings.emplace_back("the gray map of the comments does not apply to a colour picture; it was not used");
}

std::string ps_string(std::string_view bytes) {
    std::string out = "(";
    for (char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '(' || c == ')' || c == '\\') {
            out += '\\';
            out += c;
        } else if (byte < 32 || byte > 126) {
            out += '\\';
            for (unsigned shift : {6U, 3U, 0U}) out += static_cast<char>('0' + ((byte >> shift) & 7U));
        } else {
            out += c;
        }
    }
    return out + ")";
}

std::string ps_number(double value) {
    if (value == 0 || !std::isfinite(value)) return "0";
    const int magnitude = static_cast<int>(std::floor(std::log10(std::fabs(value))));
    const int decimals = std::clamp(8 - magnitude, 0, 17);
    std::array<char, 400> text{};
    auto done = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, decimals);
    std::string out(text.data(), done.ptr);
    if (out.find('.') != std::string::npos) {
        out.erase(out.find_last_not_of('0') + 1);
        if (out.back() == '.') out.pop_back();
    }
    return out == "-0" || out.empty() ? "0" : out;
}

}  // namespace opispool::opi
