// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/emit/tiff_model.h"

#include <tiffio.h>

#include <algorithm>

namespace opispool::opi {

namespace {

using Colour = TiffModel::Colour;

tl::unexpected<Error> bad(const MappedFile& file, std::string text) {
    return fail(Code::bad_image, Operation::probe, std::move(text), file.name());
}

tl::unexpected<Error> unsupported(const MappedFile& file, std::string text) {
    return fail(Code::unsupported, Operation::probe, std::move(text), file.name());
}

Result<void> classify_colour(const MappedFile& file, const TiffDirectory& d, TiffModel& model) {
    switch (d.photometric) {
        case tiff::white_is_zero:
            model.white_is_zero = true;
            [[fallthrough]];
        case tiff::black_is_zero:
            model.colour = Colour::gray;
            return {};
        case tiff::rgb:
            model.colour = Colour::rgb;
            model.as_rgb = d.compression == tiff::old_jpeg;
            return {};
        case tiff::palette:
            model.colour = Colour::palette;
            return {};
        case tiff::separated:
            model.colour = Colour::cmyk;
            if (d.ink_set != 1 || d.samples < 4 || d.number_of_inks > 4 ||
                (d.number_of_inks != 0 && d.number_of_inks < 4))
                return unsupported(file,
                                   "the separated image is not in cyan, magenta, yellow and black; save it as CMYK");
            return {};
        case tiff::ycbcr:
            model.colour = Colour::rgb;
            model.as_rgb = d.compression != tiff::jpeg;
            if (d.bits != 8)
                return unsupported(file,
                                   "the YCbCr image does not have 8 bits for each channel; save it as RGB or CMYK");
            return {};
        case tiff::cielab:
        case tiff::icclab:
            model.colour = Colour::rgb;
            model.format.coding =
                d.photometric == tiff::cielab ? RowFormat::Coding::cie_lab : RowFormat::Coding::icc_lab;
            if (d.bits != 8 && d.bits != 16)
                return unsupported(file,
                                   "the Lab image does not have 8 or 16 bits for each channel; save it as RGB or CMYK");
            return {};
        case tiff::itulab:
            return unsupported(file, "this kind of Lab image can't be placed; save it as RGB or CMYK");
        case tiff::mask:
            return unsupported(file, "the file holds a transparency mask, not a picture");
        default:
            return bad(file, "the colour model of the image (PhotometricInterpretation " +
                                 std::to_string(d.photometric) + ") is not known");
    }
}

Result<void> check_depth(const MappedFile& file, const TiffDirectory& d, const TiffModel& model) {
    if (d.sample_format != 1 && d.sample_format != 4)
        return unsupported(
            file, "the samples are not whole positive numbers; save the image with 8 or 16 bits for each channel");
    const bool small = d.bits == 1 || d.bits == 2 || d.bits == 4 || d.bits == 8;
    if (!small && (d.bits != 16 || model.colour == Colour::palette))
        return unsupported(file,
                           "the image has " + std::to_string(d.bits) + " bits for each channel; save it with 8 or 16");
    if (!TIFFIsCODECConfigured(d.compression))
        return unsupported(file, "the compression of the image (number " + std::to_string(d.compression) +
                                     ") can't be read; save it with LZW or without");
    if (d.fill_order != 1 && d.fill_order != 2)
        return bad(file, "FillOrder has the impossible value " + std::to_string(d.fill_order));
    return {};
}

// Samples beyond the colours: alpha is left out, inks are never left out silently.
Result<void> classify_extras(const MappedFile& file, const TiffDirectory& d, TiffModel& model, Warnings& warnings) {
    const std::uint16_t colours = model.format.colours;
    if (d.samples < colours)
        return bad(file, "the image has " + std::to_string(d.samples) +
                             " samples for each pixel where its colour model needs " + std::to_string(colours));
    bool unknown = false;
    for (std::size_t i = 0; i < static_cast<std::size_t>(d.samples - colours); ++i) {
        const std::uint16_t kind = i < d.extra_samples.size() ? d.extra_samples[i] : std::uint16_t{0};
        if (kind == 1 && !model.format.associated_alpha)
            model.format.associated_alpha = static_cast<std::uint16_t>(colours + i);
        unknown = unknown || kind == 0;
    }
    if (!unknown) return {};
    if (model.colour == Colour::cmyk)
        return unsupported(file,
                           "the CMYK image has a further channel that may be a spot ink; save it as CMYK without it, "
                           "or as DCS or EPS with it");
    warnings.push_back("'" + file.name() + "' has a further channel of unknown meaning; it was left out");
    return {};
}

}  // namespace

Result<TiffModel> classify_tiff(const MappedFile& file, const TiffDirectory& d, Warnings& warnings) {
    TiffModel model;
    if (auto colour = classify_colour(file, d, model); !colour) return fail(std::move(colour.error()));
    if (auto depth = check_depth(file, d, model); !depth) return fail(std::move(depth.error()));
    RowFormat& format = model.format;
    format.width_px = d.width_px;
    format.bits_in = d.bits;
    format.samples_in = d.samples;
    format.planes_apart = d.planes_apart;
    format.colours = model.colour == Colour::cmyk  ? std::uint16_t{4}
                     : model.colour == Colour::rgb ? std::uint16_t{3}
                                                   : std::uint16_t{1};
    if (format.coding != RowFormat::Coding::plain)
        warnings.push_back("'" + file.name() + "' is a Lab picture; it was converted to RGB, the RIP separates it");
    if (auto extras = classify_extras(file, d, model, warnings); !extras) return fail(std::move(extras.error()));
    format.keep_index = model.colour == Colour::palette;
    format.clear_value = model.colour == Colour::cmyk || model.white_is_zero ? std::uint8_t{0} : std::uint8_t{255};
    if (model.colour == Colour::palette || format.coding != RowFormat::Coding::plain) format.associated_alpha.reset();
    const bool as_they_are = d.bits < 8 && !d.planes_apart && d.samples == format.colours;
    format.bits_out = as_they_are ? d.bits : std::uint16_t{8};
    return model;
}

}  // namespace opispool::opi
