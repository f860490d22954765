// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/reference_placement.h"

#include <algorithm>

#include "base/text.h"
#include "opi/form_placement.h"
#include "opi/placement.h"

namespace opispool::opi {

namespace {

// Whether two sizes can be of one picture when each side of `a` was rounded to a whole pixel.
bool same_aspect_rounded(Size a, Size b) {
    const double wanted = b.width / b.height;
    const double low = (a.width - 1) / (a.height + 1);
    const double high = a.height > 1 ? (a.width + 1) / (a.height - 1) : 1e9;
    return wanted >= low && wanted <= high;
}

// Layout programs of the field ignored the tag (ref 1.5.2): a turned picture is turned only if the layout saw it
// turned.
int effective_orientation(const ImageInfo& info, const OpiComments& comments) {
    if (info.orientation < 5 || !comments.dimensions) return info.orientation;
    const Size stored{static_cast<double>(info.width_px), static_cast<double>(info.height_px)};
    const Size turned{stored.height, stored.width};
    return aspect_mismatch(*comments.dimensions, stored) < aspect_mismatch(*comments.dimensions, turned)
               ? 1
               : info.orientation;
}

CropRect visible_fraction(const CropRect& crop, Size size) {
    return {crop.left / size.width, crop.top / size.height, crop.right / size.width, crop.bottom / size.height};
}

std::string path_text(const std::array<Point, 4>& corners) {
    std::string text = "newpath";
    for (std::size_t i = 0; i < 4; ++i)
        text += " " + format_real(corners[i].x) + " " + format_real(corners[i].y) + (i == 0 ? " moveto" : " lineto");
    return text + " closepath clip newpath\n";
}

// poppler and xpdf set default user space before the comments and then multiply a page position by the picture's own
// matrix: the place they write is far off the sheet (ref 1.5.1). Only where the space is known can that be seen.
Result<void> check_on_page(const Reference& reference, ByteSource& source) {
    if (!reference.page_box || reference.depth > 0) return {};
    const std::uint64_t begin = reference.block.begin > 64 ? reference.block.begin - 64 : 0;
    const std::string before = source.copy(begin, static_cast<std::size_t>(reference.block.begin - begin));
    if (before.find("opiMatrix setmatrix") == std::string::npos) return {};
    constexpr double bleed_pt = 200;
    const auto& p = *reference.comments.position;
    const auto [left, right] = std::minmax({p[0], p[2], p[4], p[6]});
    const auto [bottom, top] = std::minmax({p[1], p[3], p[5], p[7]});
    const BoundingBox& box = *reference.page_box;
    const double page_area = box.width() * box.height();
    const bool off = right < box.llx - bleed_pt || left > box.urx + bleed_pt || top < box.lly - bleed_pt ||
                     bottom > box.ury + bleed_pt;
    if (!off && (right - left) * (top - bottom) <= 4 * page_area) return {};
    return fail(Code::bad_syntax, Operation::place,
                "%ALDImagePosition lies off the page (" + format_real(left) + " " + format_real(bottom) + " to " +
                    format_real(right) + " " + format_real(top) +
                    "): the PDF converter placed it wrongly; print from the application instead");
}

Result<void> check_aspect(const Reference& reference, Size file, const FoundImage& found, Warnings& warnings) {
    const auto& dimensions = reference.comments.dimensions;
    if (!dimensions || same_aspect_rounded(*dimensions, file)) return {};
    const double mismatch = aspect_mismatch(*dimensions, file);
    const std::string text = "the shape of " + printable(found.base_name()) + " (" + format_real(file.width) + " by " +
                             format_real(file.height) + ") is not that of the placed picture (" +
                             format_real(dimensions->width) + " by " + format_real(dimensions->height) + ")";
    if (mismatch > 0.05)
        return fail(Code::bad_image, Operation::place,
                    text + "; it is another picture or was cropped after the layout was made");
    if (mismatch > 0.01) warnings.push_back(text);
    return {};
}

}  // namespace

Size upright_size(const ImageInfo& info) {
    if (info.kind == ImageKind::eps) return {info.bounding_box->width(), info.bounding_box->height()};
    const Size stored{static_cast<double>(info.width_px), static_cast<double>(info.height_px)};
    return info.orientation >= 5 ? Size{stored.height, stored.width} : stored;
}

Result<PlacedRaster> place_raster(const Reference& reference, const ImageInfo& info, const FoundImage& found,
                                  ByteSource& source, Warnings& warnings) {
    const OpiComments& comments = reference.comments;
    PlacedRaster result;
    result.info = info;
    result.info.orientation = effective_orientation(info, comments);
    const Size size = upright_size(result.info);
    if (auto same = check_aspect(reference, size, found, warnings); !same) return fail(std::move(same.error()));
    RasterPlacement& placement = result.placement;
    if (comments.version == OpiVersion::v1_3) {
        auto placed = place_1_3(comments, size);
        if (!placed) return fail(std::move(placed.error()));
        if (auto on_page = check_on_page(reference, source); !on_page) return fail(std::move(on_page.error()));
        placement.full_to_user = placed->full_to_user;
        if (placed->cropped) placement.clip_to_user = placed->crop_to_user;
        placement.visible = visible_fraction(placed->crop, placed->dimensions);
    } else {
        auto placed = place_2_0(comments, size);
        if (!placed) return fail(std::move(placed.error()));
        Matrix unit_to_user;
        if (comments.distilled) {
            const std::size_t length = static_cast<std::size_t>(
                std::min<std::uint64_t>(reference.body.end - reference.body.begin, 64U << 10U));
            auto form = read_form_placement(source.copy(reference.body.begin, length));
            if (!form) return fail(std::move(form.error()));
            unit_to_user = form->unit_to_outer;
            for (const auto& clip : form->clips) result.before += path_text(clip);
            if (!result.before.empty()) {
                result.before = "gsave\n" + result.before;
                result.after = "grestore\n";
            }
        }
        placement.full_to_user = placed->full_to_user * unit_to_user;
        if (placed->cropped) placement.clip_to_user = unit_to_user;
        placement.visible = visible_fraction(placed->shown, placed->dimensions);
    }
    return result;
}

Result<EpsPlacement> place_eps(const Reference& reference, const ImageInfo& info, const FoundImage& found,
                               Warnings& warnings) {
    const OpiComments& comments = reference.comments;
    const BoundingBox box = *info.bounding_box;
    if (auto same = check_aspect(reference, upright_size(info), found, warnings); !same)
        return fail(std::move(same.error()));
    EpsPlacement placement;
    placement.box = box;
    if (comments.version == OpiVersion::v1_3) {
        auto placed = place_1_3(comments, upright_size(info));
        if (!placed) return fail(std::move(placed.error()));
        const Matrix box_to_unit{1 / box.width(),        0, 0, 1 / box.height(), -box.llx / box.width(),
                                 -box.lly / box.height()};
        placement.eps_to_user = box_to_unit * placed->full_to_user;
        if (placed->cropped) placement.clip_to_user = placed->crop_to_user;
    } else if (comments.distilled) {
        return fail(Code::unsupported, Operation::place,
                    "an EPS in a %%Distilled block has no known coordinates; print it from the application");
    }
    return placement;
}

}  // namespace opispool::opi
