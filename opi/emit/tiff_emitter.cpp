// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/emit/tiff_emitter.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/file_facts.h"
#include "opi/emit/image_colour.h"
#include "opi/emit/ink_space.h"
#include "opi/emit/ps_image_header.h"
#include "opi/emit/tiff_decoder.h"
#include "opi/emit/tiff_directory.h"
#include "opi/emit/tiff_model.h"
#include "opi/emit/tiff_strips.h"

namespace opispool::opi {

namespace {

using Colour = TiffModel::Colour;

// Rows that can be seen, with a row to spare on either side for rounding.
RowRange visible_rows(const TiffDirectory& d, const CropRect& visible, int orientation) {
    const RowRange all{0, d.height_px};
    if (orientation != 1 || !(visible.bottom > visible.top) || !std::isfinite(visible.top) ||
        !std::isfinite(visible.bottom))
        return all;
    const double height = d.height_px;
    const double first = std::clamp(std::floor(visible.top * height) - 1, 0.0, height - 1);
    const double end = std::clamp(std::ceil(visible.bottom * height) + 1, first + 1, height);
    return {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(end - first)};
}

// Decoders begin at the first row of a strip and a filter delivers whole strips.
RowRange whole_strips(const TiffDirectory& d, RowRange rows) {
    const std::uint32_t first = rows.first / d.block_height_px * d.block_height_px;
    const std::uint64_t strips =
        (std::uint64_t{rows.first} + rows.count - first + d.block_height_px - 1) / d.block_height_px;
    const std::uint64_t end = std::min<std::uint64_t>(d.height_px, first + strips * d.block_height_px);
    return {first, static_cast<std::uint32_t>(end - first)};
}

std::string palette_setup(const TiffDirectory& d) {
    const std::size_t entries = std::size_t{1} << d.bits;
    // The map holds 16-bit values; some writers forgot that and put 8-bit ones there.
    const bool eight_bit =
        std::all_of(d.colour_map.begin(), d.colour_map.end(), [](std::uint16_t v) { return v < 256; });
    constexpr std::string_view digits = "0123456789abcdef";
    std::string out = "[/Indexed /DeviceRGB " + std::to_string(entries - 1) + "\n<";
    for (std::size_t i = 0; i < entries; ++i) {
        for (std::size_t c = 0; c < 3; ++c) {
            const std::uint32_t value = d.colour_map[c * entries + i];
            const std::uint32_t byte = eight_bit ? value : value >> 8U;
            out += digits[byte >> 4U];
            out += digits[byte & 15U];
        }
        if (i % 12 == 11) out += '\n';
    }
    return out + ">] setcolorspace\n";
}

// Ink of the lowest and the highest sample: DotRange says which sample is 0 % and which is 100 %.
std::pair<double, double> ink_range(const TiffDirectory& d, std::size_t sample) {
    const double most = std::pow(2.0, d.bits) - 1;
    const std::size_t at = d.dot_range.size() >= 2 * (sample + 1) ? sample * 2 : 0;
    double low = 0, high = most;
    if (d.dot_range.size() >= 2 && d.dot_range[at + 1] > d.dot_range[at] && d.dot_range[at + 1] <= most) {
        low = d.dot_range[at];
        high = d.dot_range[at + 1];
    }
    return {-low / (high - low), (most - low) / (high - low)};
}

// The same for 8-bit samples of one channel. Decode may not lead out of 0 to 1 in a gray space: interpreters differ in
// what they make of it.
std::optional<std::array<std::uint8_t, 256>> ink_table(const std::pair<double, double>& range) {
    if (range == std::pair(0.0, 1.0)) return std::nullopt;
    std::array<std::uint8_t, 256> table{};
    for (std::size_t v = 0; v < table.size(); ++v) {
        const double ink = range.first + (range.second - range.first) * static_cast<double>(v) / 255;
        table[v] = static_cast<std::uint8_t>(std::lround(255 * std::clamp(ink, 0.0, 1.0)));
    }
    return table;
}

std::string ink_decode(const TiffDirectory& d, const TiffModel& model) {
    std::string out;
    for (std::size_t c = 0; c < model.inks.size(); ++c) {
        const auto [first, last] = ink_range(d, c);
        out += (c == 0 ? "[" : " ") + ps_number(first) + " " + ps_number(last);
    }
    return out + "]";
}

InkRange gray_range(const TiffDirectory& d, const TiffModel& model, const ColourRequest& colour) {
    if (d.bits == 1) return bilevel_range(colour, model.white_is_zero);
    return model.white_is_zero ? InkRange{0, 1} : InkRange{1, 0};
}

struct Painted {
    ImageCode code;
    int language_level = 2;
    std::vector<Ink> inks;  // that are known; RGB is separated by the device
};

Result<Painted> paint(const MappedFile& file, const TiffDirectory& d, const TiffModel& model, std::uint16_t bits,
                      const ColourRequest& colour, const OutputProfile& profile, Warnings& warnings) {
    Painted out;
    out.code.overprint = colour.overprint;
    out.code.width_px = d.width_px;
    switch (model.colour) {
        case Colour::gray: {
            auto gray = paint_gray(bits, gray_range(d, model, colour), colour, profile, warnings);
            if (!gray) return fail(std::move(gray.error()));
            out.code.setup = std::move(gray->setup);
            out.code.decode = std::move(gray->decode);
            out.code.mask = gray->mask;
            out.language_level = gray->language_level;
            out.inks = std::move(gray->inks);
            return out;
        }
        case Colour::rgb:
            out.code.setup = "/DeviceRGB setcolorspace\n";
            out.code.decode = "[0 1 0 1 0 1]";
            break;
        case Colour::cmyk:
            out.code.setup = "/DeviceCMYK setcolorspace\n";
            out.code.decode = ink_decode(d, model);
            out.inks = process_inks();
            break;
        case Colour::inks: {
            auto space = picture_ink_space(model.inks, profile);
            if (!space) return fail(std::move(space.error()));
            out.code.setup = std::move(space->setup);
            out.code.decode = ink_decode(d, model);
            out.language_level = space->language_level;
            out.inks = std::move(space->inks);
            break;
        }
        case Colour::palette:
            if (d.colour_map.size() < std::size_t{3} << d.bits)
                return fail(Code::bad_image, Operation::encode,
                            "the palette of the image is incomplete; the file is damaged", file.name());
            out.code.setup = palette_setup(d);
            out.code.decode = "[0 " + std::to_string((1U << bits) - 1U) + "]";
            break;
    }
    warn_colour_ignored(colour, warnings);
    return out;
}

// The picture's share of one plate; nothing where the plate has none of it and no samples are needed to say so.
Result<std::optional<Painted>> paint_plate(const MappedFile& file, const TiffDirectory& d, TiffModel& model,
                                           const ColourRequest& colour, const Plate& plate, UsedFeatures& used) {
    Painted out;
    out.code.width_px = d.width_px;
    if (model.colour == Colour::gray) {
        GrayPaint gray = paint_gray_plate(d.bits, gray_range(d, model, colour), colour, plate, used.picture_inks);
        if (!gray.on_plate && (!gray.mask || colour.overprint.value_or(false))) return std::nullopt;
        out.code.setup = std::move(gray.setup);
        out.code.decode = std::move(gray.decode);
        out.code.mask = gray.mask;
        return out;
    }
    if (model.inks.empty()) return fail(not_separable(file.name()));
    used.picture_inks = model.inks;
    const auto channel = find_ink(model.inks, plate.ink);
    if (!channel) return std::nullopt;
    pick_channel(model, *channel);
    model.format.map = ink_table(ink_range(d, *channel));
    if (model.format.map) model.format.bits_out = 8;
    out.code.setup = "/DeviceGray setcolorspace\n";
    out.code.decode = "[1 0]";
    return out;
}

// That decoding gets to the end of the rows.
Result<void> prove_rows(const ByteSupply& supply, const MappedFile& file, const TiffDirectory& d,
                        const TiffModel& model, RowRange rows, const OutputProfile& profile) {
    if (!profile.prove_pictures) return {};
    const std::string what = "decoded rows " + std::to_string(rows.first) + "+" + std::to_string(rows.count) +
                             " of plane " + std::to_string(model.format.first_plane()) + "+" +
                             std::to_string(model.format.planes()) + " in IFD " + std::to_string(d.offset_bytes);
    const auto decode = [&supply]() -> Result<bool> {
        if (auto whole = verify_supply(supply); !whole) return fail(std::move(whole.error()));
        return true;
    };
    auto answer =
        remembered<bool>(profile.proofs.get(), file.identity(), what, decode, [](bool) { return std::size_t{0}; });
    if (!answer) return fail(std::move(answer.error()));
    return {};
}

}  // namespace

Result<void> emit_tiff(PlanBuilder& builder, const std::shared_ptr<const MappedFile>& file, const ImageInfo& info,
                       const RasterPlacement& placement, const ColourRequest& colour, const OutputProfile& profile,
                       UsedFeatures& used, Warnings& warnings) {
    auto read = read_tiff_directory(*file, TiffDetail::complete);
    if (!read) return fail(std::move(read.error()));
    const auto directory = std::make_shared<const TiffDirectory>(std::move(*read));
    const TiffDirectory& d = *directory;
    auto model = classify_tiff(*file, d, warnings);
    if (!model) return fail(std::move(model.error()));
    if (model->colour == Colour::gray && d.bits > 1) model->format.map = gray_map_table(colour, model->white_is_zero);
    if (model->format.map) model->format.bits_out = 8;

    std::optional<Painted> painted;
    if (placement.plate) {
        auto share = paint_plate(*file, d, *model, colour, *placement.plate, used);
        if (!share) return fail(std::move(share.error()));
        if (!*share) {
            append_paper(builder, placement, colour);
            return {};
        }
        painted = std::move(*share);
    }

    const RowRange seen = visible_rows(d, placement.visible, info.orientation);
    const RowRange strips = whole_strips(d, seen);
    auto passed = pass_strips(file, directory, *model, d.compression == tiff::none ? seen : strips, profile);
    if (!passed) return fail(std::move(passed.error()));

    ImageData data;
    data.file = file;
    RowRange rows = strips;
    std::uint16_t bits = model->format.bits_out;
    std::string filter;
    int level = 2;
    const bool binary = profile.encoding == ChannelEncoding::binary;
    if (*passed && (!binary || pieces_fit((*passed)->pieces, !(*passed)->filter.empty()))) {
        rows = (*passed)->rows;
        bits = d.bits;
        filter = std::move((*passed)->filter);
        level = (*passed)->language_level;
        data.pieces = std::move((*passed)->pieces);
    } else {
        data.rows = make_tiff_rows(file, directory, model->format, rows.first, rows.count, model->as_rgb, profile.crew);
        if (auto whole = prove_rows(*data.rows, *file, d, *model, rows, profile); !whole) return whole;
    }
    if (!painted) {
        auto composite = paint(*file, d, *model, bits, colour, profile, warnings);
        if (!composite) return fail(std::move(composite.error()));
        painted = std::move(*composite);
    }
    ImageCode& code = painted->code;
    code.bits = bits;
    code.filter = std::move(filter);
    code.height_px = rows.count;
    code.image_matrix = image_matrix(d.width_px, d.height_px, info.orientation, rows.first);
    append_image(builder, code, data, placement, profile.encoding);
    used.binary_data = used.binary_data || binary;
    used.language_level = std::max({used.language_level, level, painted->language_level});
    note_inks(painted->inks, used);
    return {};
}

}  // namespace opispool::opi
