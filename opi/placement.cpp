// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/placement.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/text.h"

namespace opispool::opi {

namespace {

tl::unexpected<Error> no_place(std::string text) {
    return fail(Code::bad_syntax, Operation::place, std::move(text));
}

std::string shown(const CropRect& crop) {
    return format_real(crop.left) + " " + format_real(crop.top) + " " + format_real(crop.right) + " " +
           format_real(crop.bottom);
}

// The crop is clamped by less than one pixel (rounding); anything more belongs to another picture.
Result<CropRect> checked_crop(CropRect crop, Size size) {
    if (!(crop.left < crop.right) || !(crop.top < crop.bottom))
        return no_place("the crop rectangle " + shown(crop) +
                        " is empty or inverted (left top right bottom, y runs down)");
    if (crop.left <= -1 || crop.top <= -1 || crop.right >= size.width + 1 || crop.bottom >= size.height + 1)
        return no_place("the crop rectangle " + shown(crop) + " reaches outside the picture of " +
                        format_real(size.width) + " by " + format_real(size.height));
    crop.left = std::max(crop.left, 0.0);
    crop.top = std::max(crop.top, 0.0);
    crop.right = std::min(crop.right, size.width);
    crop.bottom = std::min(crop.bottom, size.height);
    if (!(crop.left < crop.right) || !(crop.top < crop.bottom))
        return no_place("the crop rectangle " + shown(crop) + " shows nothing of the picture");
    return crop;
}

bool is_whole(const CropRect& crop, Size size) {
    return crop.left <= 0 && crop.top <= 0 && crop.right >= size.width && crop.bottom >= size.height;
}

// CropFixed is the exact value of CropRect when both describe the same crop (OPI 1.3); otherwise it is stale.
CropRect chosen_crop(const OpiComments& comments, Size size) {
    const CropRect whole{0, 0, size.width, size.height};
    if (!comments.crop_fixed) return comments.crop_rect.value_or(whole);
    if (!comments.crop_rect) return *comments.crop_fixed;
    const CropRect& fixed = *comments.crop_fixed;
    const CropRect& rect = *comments.crop_rect;
    const bool close = std::abs(fixed.left - rect.left) <= 1 && std::abs(fixed.top - rect.top) <= 1 &&
                       std::abs(fixed.right - rect.right) <= 1 && std::abs(fixed.bottom - rect.bottom) <= 1;
    return close ? fixed : rect;
}

}  // namespace

Matrix crop_scale(Size dimensions, const CropRect& crop) {
    return {dimensions.width / crop.width(),
            0,
            0,
            dimensions.height / crop.height(),
            -crop.left / crop.width(),
            -(dimensions.height - crop.bottom) / crop.height()};
}

double aspect_mismatch(Size dimensions, Size file) {
    return std::abs((file.width / dimensions.width) / (file.height / dimensions.height) - 1);
}

Result<Placement13> place_1_3(const OpiComments& comments, Size file) {
    if (!comments.position)
        return no_place("the block has no %ALDImagePosition, so there is no place for the picture on the page");
    if (!comments.dimensions && (comments.crop_rect || comments.crop_fixed))
        return no_place("the block has a crop rectangle but no %ALDImageDimensions to measure it by");
    Placement13 placed;
    placed.dimensions = comments.dimensions.value_or(file);
    auto crop = checked_crop(chosen_crop(comments, placed.dimensions), placed.dimensions);
    if (!crop) return fail(std::move(crop.error()));
    placed.crop = *crop;
    placed.cropped = !is_whole(placed.crop, placed.dimensions);

    const auto& p = *comments.position;
    const Point ll{p[0], p[1]}, ul{p[2], p[3]}, ur{p[4], p[5]}, lr{p[6], p[7]};
    const double diagonal = std::max(std::hypot(ur.x - ll.x, ur.y - ll.y), std::hypot(ul.x - lr.x, ul.y - lr.y));
    const double skew = std::hypot((ul.x - ll.x) - (ur.x - lr.x), (ul.y - ll.y) - (ur.y - lr.y));
    if (skew > 0.005 * diagonal)
        return no_place(
            "the corners of %ALDImagePosition are no parallelogram (order: lower left, upper left, upper right, lower "
            "right)");
    placed.crop_to_user = {lr.x - ll.x, lr.y - ll.y, ul.x - ll.x, ul.y - ll.y, ll.x, ll.y};
    const double area = std::abs(placed.crop_to_user.determinant());
    if (!(area > 1e-6 * diagonal * diagonal) || !(area > 1e-9))
        return no_place("%ALDImagePosition has no area: the picture would vanish");
    placed.full_to_user = crop_scale(placed.dimensions, placed.crop) * placed.crop_to_user;
    return placed;
}

namespace {

bool near(double a, double b, double tolerance) {
    return std::abs(a - b) <= tolerance;
}

// The outward-rounded crop with `margin` pixels more on every side that is not the picture's edge.
CropRect outward(const CropRect& crop, Size size, double margin) {
    CropRect out{std::floor(crop.left), std::floor(crop.top), std::ceil(crop.right), std::ceil(crop.bottom)};
    out.left = std::max(out.left - margin, 0.0);
    out.top = std::max(out.top - margin, 0.0);
    out.right = std::min(out.right + margin, size.width);
    out.bottom = std::min(out.bottom + margin, size.height);
    return out;
}

// The rectangle whose size, or size after one uniform down-sampling, is that of the included raster.
std::optional<CropRect> matching_rectangle(const CropRect& crop, Size size, Size included) {
    const CropRect whole{0, 0, size.width, size.height};
    const CropRect candidates[] = {crop, whole, outward(crop, size, 0), outward(crop, size, 1)};
    for (const CropRect& candidate : candidates)
        if (near(included.width, candidate.width(), 1e-3) && near(included.height, candidate.height(), 1e-3))
            return candidate;
    for (const CropRect& candidate : candidates) {
        const double scale = std::sqrt(included.width * included.height / (candidate.width() * candidate.height()));
        if (near(included.width, candidate.width() * scale, 1) && near(included.height, candidate.height() * scale, 1))
            return candidate;
    }
    return std::nullopt;
}

}  // namespace

Result<UnitSquare20> place_2_0(const OpiComments& comments, Size file) {
    UnitSquare20 placed;
    if (comments.crop_rect && !comments.dimensions)
        return no_place("the block has %%ImageCropRect but no %%ImageDimensions to measure it by");
    placed.dimensions = comments.dimensions.value_or(file);
    const CropRect whole{0, 0, placed.dimensions.width, placed.dimensions.height};
    auto crop = checked_crop(comments.crop_rect.value_or(whole), placed.dimensions);
    if (!crop) return fail(std::move(crop.error()));
    placed.shown = *crop;
    if (comments.included_dimensions) {
        const auto matching = matching_rectangle(*crop, placed.dimensions, *comments.included_dimensions);
        if (!matching)
            return no_place("%%IncludedImageDimensions " + format_real(comments.included_dimensions->width) + " by " +
                            format_real(comments.included_dimensions->height) +
                            " fit neither the crop rectangle nor the whole picture, so the unit square can't be known");
        placed.shown = *matching;
    }
    placed.cropped = !is_whole(placed.shown, placed.dimensions);
    placed.full_to_user = crop_scale(placed.dimensions, placed.shown);
    return placed;
}

}  // namespace opispool::opi
