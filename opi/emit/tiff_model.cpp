// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/emit/tiff_model.h"

#include <tiffio.h>

#include <algorithm>

#include "base/text.h"
#include "opi/plate.h"

namespace opispool::opi {

namespace {

using Colour = TiffModel::Colour;

tl::unexpected<Error> bad(const MappedFile& file, std::string text) {
    return fail(Code::bad_image, Operation::probe, std::move(text), file.name());
}

tl::unexpected<Error> unsupported(const MappedFile& file, std::string text) {
    return fail(Code::unsupported, Operation::probe, std::move(text), file.name());
}

// Process inks in their usual order, and others only by their names.
Result<void> name_inks(const MappedFile& file, const TiffDirectory& d, TiffModel& model) {
    if (d.number_of_inks > d.samples || d.ink_names.size() > d.samples ||
        (d.number_of_inks != 0 && !d.ink_names.empty() && d.ink_names.size() != d.number_of_inks))
        return unsupported(file, "NumberOfInks, InkNames and the number of channels contradict each other");
    const std::vector<std::string> process(process_ink_names.begin(), process_ink_names.end());
    for (const std::string& name : d.ink_names) {
        std::string ink = canonical_ink(name);
        if (find_ink(model.inks, ink))
            return unsupported(file, "two channels of the picture have the ink '" + printable(ink) + "'");
        model.inks.push_back(std::move(ink));
    }
    if (d.ink_set == 1) {
        const bool named = model.inks.size() >= 4 && std::equal(process.begin(), process.end(), model.inks.begin());
        if (d.samples < 4 || (!model.inks.empty() && !named) || (d.number_of_inks != 0 && d.number_of_inks < 4))
            return unsupported(file, "the separated image is not in cyan, magenta, yellow and black; save it as CMYK");
        if (!named) model.inks = process;
    } else if (model.inks.empty()) {
        return unsupported(file, "the separated image is not in CMYK and its inks have no names; save it as CMYK");
    }
    model.colour = model.inks == process ? Colour::cmyk : Colour::inks;
    return {};
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
            return name_inks(file, d, model);
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
    if (!small && model.colour == Colour::palette)
        return unsupported(file, "the image has a palette with " + std::to_string(d.bits) +
                                     " bits for each index; save it in RGB, or with a palette of 256 colours");
    if (!small && d.bits != 16)
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
    // ExtraSamples may count from behind the four channels of CMYK, where further inks are extra samples too.
    const bool counts_inks = model.colour == Colour::inks && d.extra_samples.size() + colours > d.samples;
    const std::size_t inks_among_extras = counts_inks ? d.extra_samples.size() + colours - d.samples : 0U;
    for (std::size_t i = 0; i < inks_among_extras && i < d.extra_samples.size(); ++i)
        if (d.extra_samples[i] != 0)
            return unsupported(file, "an alpha channel stands before or among the inks; save the picture without it");
    for (std::size_t i = 0; i < static_cast<std::size_t>(d.samples - colours); ++i) {
        const std::size_t at = i + inks_among_extras;
        const std::uint16_t kind = at < d.extra_samples.size() ? d.extra_samples[at] : std::uint16_t{0};
        if (kind == 1 && !model.format.associated_alpha)
            model.format.associated_alpha = static_cast<std::uint16_t>(colours + i);
        unknown = unknown || kind == 0;
    }
    if (!unknown) return {};
    if (!model.inks.empty())
        return unsupported(file,
                           "the separated image has a further channel that may be a spot ink, but InkNames does not "
                           "name it; save it as CMYK without it, or as DCS or EPS with it");
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
    format.colours = !model.inks.empty()           ? static_cast<std::uint16_t>(model.inks.size())
                     : model.colour == Colour::rgb ? std::uint16_t{3}
                                                   : std::uint16_t{1};
    if (format.coding != RowFormat::Coding::plain)
        warnings.push_back("'" + file.name() + "' is a Lab picture; it was converted to RGB, the RIP separates it");
    if (auto extras = classify_extras(file, d, model, warnings); !extras) return fail(std::move(extras.error()));
    format.keep_index = model.colour == Colour::palette;
    format.clear_value = !model.inks.empty() || model.white_is_zero ? std::uint8_t{0} : std::uint8_t{255};
    if (model.colour == Colour::palette || format.coding != RowFormat::Coding::plain) format.associated_alpha.reset();
    format.bits_out = d.bits < 8 && format.takes_whole_plane() ? d.bits : std::uint16_t{8};
    return model;
}

void pick_channel(TiffModel& model, std::size_t channel) {
    RowFormat& format = model.format;
    format.first_sample = static_cast<std::uint16_t>(channel);
    format.colours = 1;
    format.bits_out = format.bits_in < 8 && format.takes_whole_plane() ? format.bits_in : std::uint16_t{8};
}

}  // namespace opispool::opi
