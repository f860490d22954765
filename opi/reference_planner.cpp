// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/reference_planner.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "opi/emit/raster_emitter.h"
#include "opi/job_header.h"
#include "opi/reference_file.h"
#include "opi/reference_placement.h"

namespace opispool::opi {

void ReferencePlanner::add_problem(const Reference& reference, const Error& error) {
    problems_.push_back(Problem{reference.line, reference.comments.shown_name(), error.text, error.code});
    record_missing(reference, error.text);
}

// The search is told again only here: a trace costs more than the search itself.
void ReferencePlanner::record_missing(const Reference& reference, const std::string& problem) {
    ReferenceRecord record;
    record.page = reference.page;
    record.line = reference.line;
    record.asked = reference.comments.shown_name();
    record.problem = problem;
    if (reference.comments.has_name())
        if (const auto found = find_reference_image(index_, reference.comments, &record.search))
            record.file = found->path;
    records_.push_back(std::move(record));
}

void ReferencePlanner::record_placed(const Reference& reference, const FoundImage& found, std::uint64_t bytes) {
    ReferenceRecord record = std::move(picture_);
    record.page = reference.page;
    record.line = reference.line;
    record.asked = reference.comments.shown_name();
    record.file = found.path;
    record.identity = found.file->identity();
    record.bytes = bytes;
    records_.push_back(std::move(record));
}

void ReferencePlanner::add_warning(const Reference& reference, const std::string& text) {
    warnings_.push_back("line " + std::to_string(reference.line) + ": image '" +
                        printable(reference.comments.shown_name()) + "': " + text);
}

Result<std::shared_ptr<const SplicePlan>> ReferencePlanner::plan_document(const ThinDocument& document,
                                                                          const PlannedFile& file, ByteSource& source,
                                                                          Header header) {
    warnings_.insert(warnings_.end(), document.warnings.begin(), document.warnings.end());
    if (open_eps_.empty()) plates_ = document.plates;
    Edits edits;
    MeasuredDocument measured(document, source, file.file, file.begin_bytes, file.end_bytes, measuring_);
    MeasuredDocument* const outer = std::exchange(measured_, &measured);
    Result<void> planned;
    for (const Reference& reference : document.references)
        if (planned) planned = plan_reference(reference, edits);
    measured_ = outer;
    if (!planned) return fail(std::move(planned.error()));
    if (open_eps_.empty()) warn_of_unprinted_inks();
    if (open_eps_.empty() && header == Header::corrected)  // only the job's own header: an inserted EPS stays as it is
        for (HeaderEdit& edit : correct_header(document, used_))
            edits.push_back(Edit{edit.line, nullptr, std::move(edit.text), {}});
    return assemble(file, std::move(edits));
}

Result<void> ReferencePlanner::plan_reference(const Reference& reference, Edits& edits) {
    if (!reference.problems.empty()) {
        for (const std::string& problem : reference.problems)
            add_problem(reference, Error{Code::bad_syntax, Operation::parse, problem, {}, std::nullopt});
        return {};
    }
    if (reference.comments.included_quality.value_or(0) >= 3) {
        add_warning(reference, "the included image is marked as high resolution (IncludedImageQuality 3) and stays");
        return {};
    }
    auto found = find_reference_image(index_, reference.comments);
    if (!found && found.error().code == Code::not_found) {
        if (!reference.inner.empty()) {  // the layout of this name is gone, the pictures inside it are not
            for (const ByteRange& line : reference.comment_lines) edits.push_back(Edit{line, nullptr, {}, {}});
            for (const Reference& inner : reference.inner)
                if (auto planned = plan_reference(inner, edits); !planned) return planned;
            return {};
        }
        picture_missing_ = true;
        if (on_missing_ == OnMissing::proxy) {
            add_warning(reference, found.error().text + "; the low-resolution picture of the job was kept");
            record_missing(reference, found.error().text + "; the low-resolution picture of the job was kept");
            return {};
        }
    }
    if (!found) {
        add_problem(reference, found.error());
        return {};
    }
    auto plan = emit(reference, *found);
    if (!plan) {
        add_problem(reference, plan.error());
        return {};
    }
    record_placed(reference, *found, (*plan)->total_bytes());
    if (!found->warning.empty()) add_warning(reference, found->warning);
    for (const ByteRange& line : reference.comment_lines) edits.push_back(Edit{line, nullptr, {}, {}});
    PlacedImage image{reference.comments.shown_name(), found->path, reference.page, reference.line, 0, 0};
    edits.push_back(Edit{reference.body, std::move(*plan), {}, std::move(image)});
    return {};
}

Result<std::shared_ptr<const SplicePlan>> ReferencePlanner::emit(const Reference& reference, const FoundImage& found) {
    if (reference.in_procedure)
        return fail(Code::unsupported, Operation::place,
                    "the OPI block stands inside a procedure ({ }), where picture data can't follow; print without "
                    "form caching");
    if (reference.object_unbalanced)
        return fail(Code::unsupported, Operation::place,
                    "the proxy between %%BeginObject and %%EndObject leaves gsave, save or begin open, so it can't be "
                    "taken out");
    auto info = probe_image(found.file);
    if (!info) return fail(std::move(info.error()));
    PlanBuilder builder;
    Warnings notes;
    Result<void> emitted = info->kind == ImageKind::eps
                               ? emit_eps_reference(builder, reference, found, *info, notes)
                               : emit_raster_reference(builder, reference, found, *info, notes);
    for (const std::string& note : notes) add_warning(reference, note);
    if (!emitted) return fail(std::move(emitted.error()));
    if (info->kind == ImageKind::eps) picture_ = {};  // it was the last picture inside the EPS
    picture_.width_px = info->width_px;
    picture_.height_px = info->height_px;
    picture_.colour = info->colour;
    return builder.finish();
}

namespace {

double pixels_per_inch(const RasterPlacement& placement, Size pixels) {
    constexpr double points_per_inch = 72;
    const Matrix& m = placement.full_to_user;
    const double width_pt = std::hypot(m.a, m.b), height_pt = std::hypot(m.c, m.d);
    if (width_pt <= 0 || height_pt <= 0) return 0;
    return std::min(pixels.width / width_pt, pixels.height / height_pt) * points_per_inch;
}

std::string crop_text(const CropRect& visible) {
    if (visible.left <= 0 && visible.top <= 0 && visible.right >= 1 && visible.bottom >= 1) return {};
    const auto part = [](double value) { return format_real(std::round(value * 10'000) / 10'000); };
    return part(visible.left) + " " + part(visible.top) + " " + part(visible.right) + " " + part(visible.bottom);
}

}  // namespace

Result<void> ReferencePlanner::emit_raster_reference(PlanBuilder& builder, const Reference& reference,
                                                     const FoundImage& found, const ImageInfo& info, Warnings& notes) {
    auto placed = place_raster(reference, info, found, *measured_, notes);
    if (!placed) return fail(std::move(placed.error()));
    picture_ = {};
    picture_.ppi = pixels_per_inch(placed->placement, upright_size(placed->info));
    picture_.crop = crop_text(placed->placement.visible);
    builder.text(placed->before);
    placed->placement.plate = reference.plate;
    used_.picture_inks.clear();
    auto emitted = emit_raster(builder, found.file, placed->info, placed->placement, colour_request(reference.comments),
                               profile_, used_, notes);
    builder.text(placed->after);
    for (const std::string& ink : used_.picture_inks)
        if (!find_ink(plates_, ink)) unprinted_inks_[ink].insert(reference.comments.shown_name());
    return emitted;
}

void ReferencePlanner::warn_of_unprinted_inks() {
    for (const auto& [ink, images] : unprinted_inks_)
        for (const std::string& image : images)
            warnings_.push_back("image '" + printable(image) + "' has the ink '" + printable(ink) +
                                "', but the job has no plate for it");
}

std::shared_ptr<const SplicePlan> ReferencePlanner::assemble(const PlannedFile& file, Edits edits) const {
    std::stable_sort(edits.begin(), edits.end(),
                     [](const Edit& a, const Edit& b) { return a.range.begin < b.range.begin; });
    PlanBuilder builder;
    const std::uint32_t source = builder.add_source(file.file);
    std::uint64_t at = 0;
    const auto keep_to = [&](std::uint64_t end) {
        if (end > at) builder.file_range(source, file.begin_bytes + at, end - at);
        at = std::max(at, end);
    };
    for (const Edit& edit : edits) {
        keep_to(edit.range.begin);
        at = std::max(at, edit.range.end);
        builder.text(edit.text);
        if (!edit.insert) continue;
        builder.begin_image(edit.image);
        builder.append(*edit.insert);
        builder.end_image();
    }
    keep_to(file.end_bytes - file.begin_bytes);
    return builder.finish();
}

}  // namespace opispool::opi
