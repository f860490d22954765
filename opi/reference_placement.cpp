// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/reference_placement.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "opi/form_placement.h"
#include "opi/measured_placement.h"
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

// poppler and xpdf set default user space before the comments and then multiply the position by the picture's own
// matrix, which is right for forms and absurd for images (ref 1.5.1).
bool is_of_converter(const Reference& reference, ByteSource& source) {
    const std::uint64_t begin = reference.block.begin > 64 ? reference.block.begin - 64 : 0;
    const std::string before = source.copy(begin, static_cast<std::size_t>(reference.block.begin - begin));
    return before.find("opiMatrix setmatrix") != std::string::npos;
}

// Only where the position is in default user space.
bool lies_on_page(const Reference& reference) {
    if (!reference.page_box || reference.depth > 0) return true;
    constexpr double bleed_pt = 200;
    const auto& p = *reference.comments.position;
    const auto [left, right] = std::minmax({p[0], p[2], p[4], p[6]});
    const auto [bottom, top] = std::minmax({p[1], p[3], p[5], p[7]});
    const BoundingBox& box = *reference.page_box;
    const bool off = right < box.llx - bleed_pt || left > box.urx + bleed_pt || top < box.lly - bleed_pt ||
                     bottom > box.ury + bleed_pt;
    return !off && (right - left) * (top - bottom) <= 4 * box.width() * box.height();
}

tl::unexpected<Error> misplaced(const std::string& why) {
    return fail(Code::bad_syntax, Operation::place,
                why + "; print it from the application instead, or place the picture anew");
}

// The position as the job's own drawing confirms it. A converter's wrong position gives way to the measured one where
// the whole picture is shown, since there the proxy can mean nothing else; every other contradiction holds the job.
Result<Placement13> confirmed(const Reference& reference, Placement13 placed, MeasuredDocument& measured,
                              Warnings& warnings) {
    const bool converter = is_of_converter(reference, measured.source());
    const bool absurd = converter && !lies_on_page(reference);
    const std::string off = absurd ? "%ALDImagePosition lies off the page: the PDF converter placed it wrongly" : "";
    if (!measured.is_checked(converter)) return absurd ? Result<Placement13>(misplaced(off)) : placed;
    const auto passes = measured.passes(reference);
    if (!passes) {
        if (absurd) return misplaced(off + " (" + passes.error().text + ")");
        warnings.push_back("its place was not compared with the proxy: " + passes.error().text);
        return placed;
    }
    const PositionCheck check = check_measured_position(*passes, placed.crop_to_user, placed.full_to_user);
    if (check.verdict != Verdict::differs && !absurd) return placed;
    const auto picture = measured_picture(*passes);
    if (!converter || placed.cropped || !picture || !picture->clip.empty()) {
        const std::string why = check.text.empty() ? off : "%ALDImagePosition is not where the proxy is: " + check.text;
        return misplaced(picture ? why : why + " (" + picture.error().text + ")");
    }
    warnings.push_back("%ALDImagePosition is wrong; the picture goes where the job draws its proxy");
    placed.crop_to_user = placed.full_to_user = picture->unit_to_mark;
    return placed;
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

// The unit square of a 2.0 block, and its comments with what measuring has added.
struct Square20 {
    Matrix unit_to_user;
    std::string clips;  // PostScript
    OpiComments comments;
};

std::string included_code(const Reference& reference, ByteSource& source) {
    const std::uint64_t length = std::min<std::uint64_t>(reference.body.end - reference.body.begin, 64U << 10U);
    return source.copy(reference.body.begin, static_cast<std::size_t>(length));
}

// Matrix and clip lie inside the included image: read where a PDF converter's few words are used, measured otherwise.
Result<Square20> distilled_square(const Reference& reference, MeasuredDocument& measured) {
    Square20 square{{}, {}, reference.comments};
    const auto form = read_form_placement(included_code(reference, measured.source()));
    if (form && !measured.is_checked(false)) {
        square.unit_to_user = form->unit_to_outer;
        for (const auto& clip : form->clips) square.clips += path_text(clip);
        return square;
    }
    const auto passes = measured.passes(reference);
    if (form) {
        square.unit_to_user = form->unit_to_outer;
        for (const auto& clip : form->clips) square.clips += path_text(clip);
        if (!passes) return square;
        const PositionCheck check = check_measured_position(*passes, form->unit_to_outer, form->unit_to_outer);
        if (check.verdict == Verdict::differs)
            return misplaced("the included image is not where it seems: " + check.text);
        return square;
    }
    if (!passes) return fail(Code::unsupported, Operation::place, form.error().text + " (" + passes.error().text + ")");
    auto picture = measured_picture(*passes);
    if (!picture)
        return fail(Code::unsupported, Operation::place, form.error().text + " (" + picture.error().text + ")");
    square.unit_to_user = picture->unit_to_mark;
    square.clips = clip_text(picture->clip);
    if (!square.comments.included_dimensions) square.comments.included_dimensions = picture->pixels;
    return square;
}

// The included image of an ordinary block fills the unit square. One whose own code moves it, or whose size in pixels
// fits no reading, is measured.
Result<Square20> included_square(const Reference& reference, Size size, MeasuredDocument& measured,
                                 Warnings& warnings) {
    Square20 square{{}, {}, reference.comments};
    const auto readable = place_2_0(reference.comments, size);
    const auto form = read_form_placement(included_code(reference, measured.source()));
    const bool moved = form && !(form->unit_to_outer == Matrix{});
    if (!measured.is_checked(!readable || moved)) return square;
    const auto passes = measured.passes(reference);
    if (!passes) {
        if (readable) warnings.push_back("its place was not compared with the proxy: " + passes.error().text);
        return square;
    }
    const PositionCheck check = check_measured_position(*passes, Matrix{}, Matrix{});
    if (check.verdict == Verdict::differs)
        return misplaced("the included image does not fill the unit square: " + check.text);
    if (readable || check.verdict != Verdict::agrees) return square;
    if (const auto picture = measured_picture(*passes)) square.comments.included_dimensions = picture->pixels;
    return square;
}

Matrix box_to_unit(const BoundingBox& box) {
    return {1 / box.width(), 0, 0, 1 / box.height(), -box.llx / box.width(), -box.lly / box.height()};
}

// The EPS's box goes where the proxy's image is drawn, as long as it keeps its shape there.
Result<void> place_distilled_eps(const Reference& reference, MeasuredDocument& measured, EpsPlacement& placement) {
    constexpr const char* why = "an EPS in a %%Distilled block has no known coordinates; print it from the application";
    const auto passes = measured.passes(reference);
    const auto picture = passes ? measured_picture(*passes) : Result<MeasuredPicture>(fail(Error(passes.error())));
    if (!picture)
        return fail(Code::unsupported, Operation::place, std::string(why) + " (" + picture.error().text + ")");
    const Size size{placement.box.width(), placement.box.height()};
    OpiComments comments = reference.comments;
    comments.included_dimensions = comments.included_dimensions.value_or(picture->pixels);
    const auto placed = place_2_0(comments, size);
    if (!placed) return fail(Error(placed.error()));
    placement.eps_to_user = box_to_unit(placement.box) * placed->full_to_user * picture->unit_to_mark;
    const Matrix to_page = *placement.eps_to_user * picture->mark_to_page;
    const double wide = std::hypot(to_page.a, to_page.b), high = std::hypot(to_page.c, to_page.d);
    if (std::abs(wide / high - 1) > 0.03 || !picture->clip.empty())
        return fail(Code::unsupported, Operation::place,
                    std::string(why) + " (the proxy is cut or stretched when it is drawn)");
    if (placed->cropped) placement.clip_to_user = picture->unit_to_mark;
    return {};
}

}  // namespace

Size upright_size(const ImageInfo& info) {
    if (info.kind == ImageKind::eps) return {info.bounding_box->width(), info.bounding_box->height()};
    const Size stored{static_cast<double>(info.width_px), static_cast<double>(info.height_px)};
    return info.orientation >= 5 ? Size{stored.height, stored.width} : stored;
}

Result<PlacedRaster> place_raster(const Reference& reference, const ImageInfo& info, const FoundImage& found,
                                  MeasuredDocument& measured, Warnings& warnings) {
    const OpiComments& comments = reference.comments;
    PlacedRaster result;
    result.info = info;
    result.info.orientation = effective_orientation(info, comments);
    const Size size = upright_size(result.info);
    if (auto same = check_aspect(reference, size, found, warnings); !same) return fail(std::move(same.error()));
    RasterPlacement& placement = result.placement;
    if (comments.version == OpiVersion::v1_3) {
        auto placed = place_1_3(comments, size);
        if (placed) placed = confirmed(reference, *placed, measured, warnings);
        if (!placed) return fail(std::move(placed.error()));
        placement.full_to_user = placed->full_to_user;
        if (placed->cropped) placement.clip_to_user = placed->crop_to_user;
        placement.visible = visible_fraction(placed->crop, placed->dimensions);
    } else {
        auto square = comments.distilled ? distilled_square(reference, measured)
                                         : included_square(reference, size, measured, warnings);
        if (!square) return fail(std::move(square.error()));
        auto placed = place_2_0(square->comments, size);
        if (!placed) return fail(std::move(placed.error()));
        const Matrix& unit_to_user = square->unit_to_user;
        if (!square->clips.empty()) {
            result.before = "gsave\n" + square->clips;
            result.after = "grestore\n";
        }
        placement.full_to_user = placed->full_to_user * unit_to_user;
        if (placed->cropped) placement.clip_to_user = unit_to_user;
        placement.visible = visible_fraction(placed->shown, placed->dimensions);
    }
    return result;
}

Result<EpsPlacement> place_eps(const Reference& reference, const ImageInfo& info, const FoundImage& found,
                               MeasuredDocument& measured, Warnings& warnings) {
    const OpiComments& comments = reference.comments;
    const BoundingBox box = *info.bounding_box;
    if (auto same = check_aspect(reference, upright_size(info), found, warnings); !same)
        return fail(std::move(same.error()));
    EpsPlacement placement;
    placement.box = box;
    if (comments.version == OpiVersion::v1_3) {
        auto placed = place_1_3(comments, upright_size(info));
        if (placed) placed = confirmed(reference, *placed, measured, warnings);
        if (!placed) return fail(std::move(placed.error()));
        placement.eps_to_user = box_to_unit(box) * placed->full_to_user;
        if (placed->cropped) placement.clip_to_user = placed->crop_to_user;
    } else if (comments.distilled) {
        if (auto placed = place_distilled_eps(reference, measured, placement); !placed)
            return fail(std::move(placed.error()));
    }
    return placement;
}

}  // namespace opispool::opi
