// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/emit/jpeg_emitter.h"

#include <algorithm>

#include "base/file_facts.h"
#include "opi/emit/image_colour.h"
#include "opi/emit/jpeg_stream.h"
#include "opi/emit/ps_image_header.h"

namespace opispool::opi {

namespace {

struct JpegPlan {
    ImageData data;
    std::string filter;
};

// The file's own bytes; its coefficients in one scan, as progressive data is not part of Level 2; or decoded rows, when
// a gray map has to be applied here.
Result<JpegPlan> plan_data(const std::shared_ptr<const MappedFile>& file, const JpegHeader& header,
                           const JpegCheck& check, const std::shared_ptr<const ByteSupply>& whole,
                           const std::optional<std::array<std::uint8_t, 256>>& map) {
    JpegPlan plan;
    plan.data.file = file;
    const bool transformed = check.colour == JpegColour::ycbcr || check.colour == JpegColour::ycck;
    plan.filter = std::string("<< /ColorTransform ") + (transformed ? "1" : "0") + " >> /DCTDecode filter";
    if (!map && check.one_scan) {
        FilePiece piece{"", 0, check.end_bytes, check.has_end_mark ? "" : "\xFF\xD9"};
        if (!pieces_fit({piece}, true))
            return fail(Code::too_large, Operation::encode, "the JPEG is larger than 2 GB; save it as TIFF with strips",
                        file->name());
        plan.data.pieces.push_back(std::move(piece));
        return plan;
    }
    if (!map) {
        auto sequential = make_sequential_jpeg(whole, file->name());
        if (!sequential && sequential.error().code != Code::unsupported) return fail(std::move(sequential.error()));
        if (sequential) {
            plan.data.rows = std::move(*sequential);
            return plan;
        }
    }
    plan.filter.clear();
    plan.data.rows = make_jpeg_rows(whole, header, file->name());
    if (map) plan.data.rows = make_mapped_supply(plan.data.rows, *map);
    return plan;
}

// The picture's share of one plate; false where the plate has none of it.
Result<bool> paint_plate(ImageCode& code, JpegPlan& plan, const JpegHeader& header,
                         const std::shared_ptr<const ByteSupply>& whole, const ColourRequest& colour,
                         const RasterPlacement& placement, UsedFeatures& used) {
    const std::string& name = plan.data.file->name();
    if (header.components == 1) {
        GrayPaint gray = paint_gray_plate(8, {1, 0}, colour, *placement.plate, used.picture_inks);
        code.setup = std::move(gray.setup);
        code.decode = std::move(gray.decode);
        return gray.on_plate;
    }
    if (header.components != 4) return fail(not_separable(name));
    used.picture_inks.assign(process_ink_names.begin(), process_ink_names.end());
    const auto channel = process_ink_index(placement.plate->ink);
    if (!channel) return false;
    plan.data.pieces.clear();
    plan.data.rows = make_channel_supply(make_jpeg_rows(whole, header, name), 4, *channel);
    code.filter.clear();
    code.setup = "/DeviceGray setcolorspace\n";
    code.decode = header.adobe_transform ? "[0 1]" : "[1 0]";
    return true;
}

}  // namespace

Result<void> emit_jpeg(PlanBuilder& builder, const std::shared_ptr<const MappedFile>& file, const ImageInfo& info,
                       const RasterPlacement& placement, const ColourRequest& colour, const OutputProfile& profile,
                       UsedFeatures& used, Warnings& warnings) {
    const auto whole = make_file_supply(file, {{"", 0, file->size(), ""}});
    auto header = read_jpeg_header(*whole, file->name());
    if (!header) return fail(std::move(header.error()));
    if (auto frame = check_jpeg_frame(*header, file->name()); !frame) return frame;
    const auto decode = [&] { return check_jpeg(*whole, file->name()); };
    auto check = remembered<JpegCheck>(profile.proofs.get(), file->identity(), "jpeg", decode,
                                       [](const JpegCheck&) { return std::size_t{0}; });
    if (!check) return fail(std::move(check.error()));

    const bool gray = header->components == 1;
    auto plan = plan_data(file, *header, *check, whole, gray ? gray_map_table(colour, false) : std::nullopt);
    if (!plan) return fail(std::move(plan.error()));
    ImageCode code;
    if (!placement.plate) code.overprint = colour.overprint;
    code.width_px = header->width_px;
    code.height_px = header->height_px;
    code.filter = std::move(plan->filter);
    code.image_matrix = image_matrix(header->width_px, header->height_px, info.orientation);
    int level = 2;
    if (placement.plate) {
        auto share = paint_plate(code, *plan, *header, whole, colour, placement, used);
        if (!share) return fail(std::move(share.error()));
        if (!*share) {
            append_paper(builder, placement, colour);
            return {};
        }
    } else if (gray) {
        auto painted = paint_gray(8, {1, 0}, colour, profile, warnings);
        if (!painted) return fail(std::move(painted.error()));
        code.setup = std::move(painted->setup);
        code.decode = std::move(painted->decode);
        level = painted->language_level;
        note_inks(painted->inks, used);
    } else {
        warn_colour_ignored(colour, warnings);
        const bool cmyk = header->components == 4;
        if (cmyk) note_inks(process_inks(), used);
        code.setup = cmyk ? "/DeviceCMYK setcolorspace\n" : "/DeviceRGB setcolorspace\n";
        // Adobe's programs store CMYK JPEG inverted and mark it with APP14; DCTDecode never inverts (ref 6.3).
        code.decode = !cmyk ? "[0 1 0 1 0 1]" : header->adobe_transform ? "[1 0 1 0 1 0 1 0]" : "[0 1 0 1 0 1 0 1]";
    }
    append_image(builder, code, plan->data, placement, profile.encoding);
    used.binary_data = used.binary_data || profile.encoding == ChannelEncoding::binary;
    used.language_level = std::max(used.language_level, level);
    return {};
}

}  // namespace opispool::opi
