// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/measured_placement.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.h"

namespace opispool::opi {

namespace {

tl::unexpected<Error> unclear(const std::string& why) {
    return fail(Code::unsupported, Operation::place, why);
}

struct Box {
    double left = std::numeric_limits<double>::max(), bottom = left, right = -left, top = -left;

    void add(Point p) {
        left = std::min(left, p.x);
        right = std::max(right, p.x);
        bottom = std::min(bottom, p.y);
        top = std::max(top, p.y);
    }
    double area() const { return std::max(right - left, 0.0) * std::max(top - bottom, 0.0); }
    Box cut(const Box& other) const {
        Box both;
        both.left = std::max(left, other.left);
        both.right = std::min(right, other.right);
        both.bottom = std::max(bottom, other.bottom);
        both.top = std::min(top, other.top);
        return both;
    }
};

// Of the unit square under `m`.
Box box_of(const Matrix& m) {
    Box box;
    for (const Point corner : {Point{0, 0}, Point{1, 0}, Point{1, 1}, Point{0, 1}}) box.add(m.apply(corner));
    return box;
}

bool is_upright(const Matrix& m) {
    const double small = 1e-3 * (std::abs(m.a) + std::abs(m.b) + std::abs(m.c) + std::abs(m.d));
    return (std::abs(m.b) < small && std::abs(m.c) < small) || (std::abs(m.a) < small && std::abs(m.d) < small);
}

// The images of one passage as one picture.
struct Joined {
    Matrix unit_to_page;
    Size pixels;
    bool whole = false;  // side by side without a gap
    bool sure_of_mirror = false;
};

std::optional<Joined> join(const std::vector<MeasuredImage>& images) {
    const auto picture = std::find_if(images.begin(), images.end(), [](const auto& image) { return !image.mask; });
    const bool masks = picture == images.end();
    if (images.empty()) return std::nullopt;
    const MeasuredImage& first = masks ? images.front() : *picture;
    const Matrix to_first = inverse(first.unit_to_page);
    Joined joined;
    joined.whole = joined.sure_of_mirror = true;
    Box box;
    double covered = 0;
    for (auto at = images.begin(); at != images.end(); ++at) {
        const MeasuredImage& image = *at;
        const bool again = std::any_of(images.begin(), at, [&](const MeasuredImage& earlier) {
            return earlier.mask == masks && earlier.unit_to_page == image.unit_to_page;
        });
        if (image.mask != masks || again) continue;  // some print a picture once for each ink
        const Matrix here = image.unit_to_page * to_first;
        const Box part = box_of(here);
        joined.whole = joined.whole && is_upright(here);
        joined.sure_of_mirror =
            joined.sure_of_mirror && (image.first_row_on_top || image.unit_to_page.determinant() > 0);
        box.add({part.left, part.bottom});
        box.add({part.right, part.top});
        covered += std::abs(here.determinant());
    }
    if (!(box.area() > 0) || !std::isfinite(box.area())) return std::nullopt;
    // Less leaves a gap; more are images that lie over one another.
    joined.whole = joined.whole && covered > 0.98 * box.area() && covered < 1.02 * box.area();
    const double wide = box.right - box.left, high = box.top - box.bottom;
    joined.unit_to_page = Matrix{wide, 0, 0, high, box.left, box.bottom} * first.unit_to_page;
    joined.pixels = {first.width * wide, first.height * high};
    return joined;
}

bool same_place(const Matrix& a, const Matrix& b, const Matrix& mark_to_page) {
    for (const Point corner : {Point{0, 0}, Point{1, 0}, Point{0, 1}}) {
        const Point p = mark_to_page.apply(a.apply(corner)), q = mark_to_page.apply(b.apply(corner));
        if (std::hypot(p.x - q.x, p.y - q.y) > 0.1) return false;
    }
    return true;
}

// A rectangle's box; none for any other path.
std::optional<Box> rectangle_of(const MeasuredClip& clip) {
    const auto& steps = clip.steps;
    if (!clip.known || steps.size() != 5 || steps[0].kind != 'm' || steps[4].kind != 'h') return std::nullopt;
    Box box;
    for (std::size_t i = 0; i < 4; ++i) {
        if (i > 0 && steps[i].kind != 'l') return std::nullopt;
        const Point a = steps[i].points[0], b = steps[(i + 1) % 4].points[0];
        if (std::abs(a.x - b.x) > 1e-3 && std::abs(a.y - b.y) > 1e-3) return std::nullopt;
        box.add(a);
    }
    return box;
}

bool contains(const Box& outer, const Box& inner) {
    constexpr double rounding_pt = 0.11;  // twice the device's pixel
    return outer.left < inner.left + rounding_pt && outer.bottom < inner.bottom + rounding_pt &&
           outer.right > inner.right - rounding_pt && outer.top > inner.top - rounding_pt;
}

// The clip that the proxy itself set and that cuts the picture.
Result<std::vector<PathStep>> own_clip(const MeasuredPass& pass, const Matrix& picture_to_page) {
    const MeasuredClip& clip = pass.images.front().clip;
    for (const MeasuredImage& image : pass.images)
        if (!(image.clip == clip)) return unclear("the proxy draws its parts under different clips");
    if (clip.known && pass.clip.known && clip == pass.clip) return std::vector<PathStep>{};
    if (const auto rectangle = rectangle_of(clip); rectangle && contains(*rectangle, box_of(picture_to_page)))
        return std::vector<PathStep>{};
    if (!clip.known) return unclear("the clip around the proxy has too many corners");
    std::vector<PathStep> steps = clip.steps;
    const Matrix page_to_mark = inverse(pass.mark_to_page);
    for (PathStep& step : steps)
        for (Point& point : step.points) point = page_to_mark.apply(point);
    return steps;
}

std::string shown(const Box& box) {
    const auto number = [](double value) { return format_real(std::round(value * 10) / 10); };
    return number(box.left) + " " + number(box.bottom) + " to " + number(box.right) + " " + number(box.top);
}

bool same_box(const Box& a, const Box& b, double tolerance_x, double tolerance_y) {
    return std::abs(a.left - b.left) <= tolerance_x && std::abs(a.right - b.right) <= tolerance_x &&
           std::abs(a.bottom - b.bottom) <= tolerance_y && std::abs(a.top - b.top) <= tolerance_y;
}

PositionCheck check_pass(const MeasuredPass& pass, const Matrix& part_to_mark, const Matrix& whole_to_mark) {
    const auto joined = join(pass.images);
    if (!joined) return {};
    const Matrix part_to_page = part_to_mark * pass.mark_to_page;
    const Matrix to_part = inverse(part_to_page);
    // In units of the visible part, so that a turned picture is compared along its own sides.
    const Box drawn = box_of(joined->unit_to_page * to_part);
    const Matrix& drawn_to_page = joined->unit_to_page;
    const double wide_pt = std::hypot(part_to_page.a, part_to_page.b);
    const double high_pt = std::hypot(part_to_page.c, part_to_page.d);
    const double pixel = std::max(std::hypot(drawn_to_page.a, drawn_to_page.b) / joined->pixels.width,
                                  std::hypot(drawn_to_page.c, drawn_to_page.d) / joined->pixels.height);
    const double slack_pt = std::max({1.0, 0.01 * wide_pt, 0.01 * high_pt}) + pixel;
    for (const Matrix& place : {part_to_mark, whole_to_mark})
        if (same_box(drawn, box_of(place * pass.mark_to_page * to_part), slack_pt / wide_pt, slack_pt / high_pt))
            return {Verdict::agrees, {}};

    // A proxy that is cut by its clip shows less than it paints.
    const Box expected = box_of(part_to_page);
    const Box painted = box_of(drawn_to_page);
    for (const MeasuredImage& image : pass.images) {
        Box clip;
        for (const PathStep& step : image.clip.steps)
            for (const Point point : step.points) clip.add(point);
        if (!image.clip.known) return {};
        if (same_box(painted.cut(clip), expected, slack_pt, slack_pt)) return {Verdict::agrees, {}};
    }
    if (!joined->whole || (joined->pixels.width < 3 && joined->pixels.height < 3)) return {};
    return {Verdict::differs,
            "its numbers put it at " + shown(expected) + " pt of the page, but the job draws it at " + shown(painted)};
}

}  // namespace

Result<MeasuredPicture> measured_picture(const std::vector<MeasuredPass>& passes) {
    std::optional<MeasuredPicture> picture;
    for (const MeasuredPass& pass : passes) {
        if (!pass.finished) return unclear("an error ended the proxy when it was measured");
        const auto joined = join(pass.images);
        if (!joined) return unclear("the proxy draws no image that could be measured");
        if (!joined->whole) return unclear("the proxy draws several images that make no single picture");
        if (!joined->sure_of_mirror)
            return unclear("the proxy may be mirrored or stored bottom up, which its drawing does not tell");
        auto clip = own_clip(pass, joined->unit_to_page);
        if (!clip) return fail(std::move(clip.error()));
        MeasuredPicture here{joined->unit_to_page * inverse(pass.mark_to_page), pass.mark_to_page, joined->pixels,
                             std::move(*clip)};
        if (picture && (!same_place(picture->unit_to_mark, here.unit_to_mark, here.mark_to_page) ||
                        !picture->clip.empty() || !here.clip.empty()))
            return unclear("the block is drawn several times, in places or clips of its own");
        picture = std::move(here);
    }
    if (!picture) return unclear("the block is never drawn when the job is run");
    return std::move(*picture);
}

std::string clip_text(const std::vector<PathStep>& clip) {
    if (clip.empty()) return {};
    std::string text = "newpath\n";
    for (const PathStep& step : clip) {
        for (const Point point : step.points) text += format_real(point.x) + " " + format_real(point.y) + " ";
        text += step.kind == 'm'   ? "moveto\n"
                : step.kind == 'l' ? "lineto\n"
                : step.kind == 'c' ? "curveto\n"
                                   : "closepath\n";
    }
    return text + "clip newpath\n";
}

PositionCheck check_measured_position(const std::vector<MeasuredPass>& passes, const Matrix& part_to_mark,
                                      const Matrix& whole_to_mark) {
    PositionCheck result;
    for (const MeasuredPass& pass : passes) {
        PositionCheck here = pass.finished ? check_pass(pass, part_to_mark, whole_to_mark) : PositionCheck{};
        if (here.verdict == Verdict::differs) return here;
        if (here.verdict == Verdict::agrees) result = std::move(here);
    }
    return result;
}

}  // namespace opispool::opi
