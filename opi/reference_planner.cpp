// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/reference_planner.h"

#include <algorithm>

#include "base/text.h"
#include "opi/emit/eps_emitter.h"
#include "opi/emit/raster_emitter.h"
#include "opi/form_placement.h"
#include "opi/placement.h"

namespace opispool::opi {

namespace {

constexpr std::size_t max_eps_depth = 5;

Size upright_size(const ImageInfo& info) {
    if (info.kind == ImageKind::eps) return {info.bounding_box->width(), info.bounding_box->height()};
    const Size stored{static_cast<double>(info.width_px), static_cast<double>(info.height_px)};
    return info.orientation >= 5 ? Size{stored.height, stored.width} : stored;
}

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

std::string file_name(const std::string& path) {
    return path.substr(path.rfind('/') + 1);
}

bool has_eight_bit_or_control_bytes(ByteSource& source) {
    for (std::uint64_t at = 0; at < source.size_bytes();) {
        const std::string_view window = source.window(at);
        if (window.empty()) break;
        for (const char c : window) {
            const auto byte = static_cast<unsigned char>(c);
            if (byte > 126 || (byte < 32 && byte != '\t' && byte != '\n' && byte != '\r')) return true;
        }
        at += window.size();
    }
    return false;
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

}  // namespace

Result<FoundImage> find_reference_image(const ImageIndex& index, const OpiComments& comments) {
    const auto original = [](const FoundImage& candidate) {
        auto info = probe_image(candidate.file);
        return !info || !info->is_layout;  // a damaged file is reported as such later, not passed over
    };
    Result<FoundImage> answer = fail(Code::not_found, Operation::resolve, "the block names no image");
    for (const std::string* name : {&comments.image_id, &comments.main_image, &comments.filename}) {
        if (name->empty()) continue;
        answer = index.find(*name, original);
        if (answer || answer.error().code != Code::not_found) return answer;
    }
    return answer;
}

void ReferencePlanner::add_problem(const Reference& reference, const Error& error) {
    problems_.push_back(Problem{reference.line, reference.comments.shown_name(), error.text, error.code});
}

void ReferencePlanner::add_warning(const Reference& reference, const std::string& text) {
    warnings_.push_back("line " + std::to_string(reference.line) + ": image '" +
                        printable(reference.comments.shown_name()) + "': " + text);
}

Result<std::shared_ptr<const SplicePlan>> ReferencePlanner::plan_document(const ThinDocument& document,
                                                                          const PlannedFile& file, ByteSource& source) {
    warnings_.insert(warnings_.end(), document.warnings.begin(), document.warnings.end());
    Edits edits;
    for (const Reference& reference : document.references)
        if (auto planned = plan_reference(reference, source, edits); !planned) return fail(std::move(planned.error()));
    correct_header(document, edits);
    return assemble(file, std::move(edits));
}

Result<void> ReferencePlanner::plan_reference(const Reference& reference, ByteSource& source, Edits& edits) {
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
                if (auto planned = plan_reference(inner, source, edits); !planned) return planned;
            return {};
        }
        if (on_missing_ == OnMissing::proxy) {
            add_warning(reference, found.error().text + "; the low-resolution picture of the job was kept");
            return {};
        }
    }
    if (!found) {
        add_problem(reference, found.error());
        return {};
    }
    auto plan = emit(reference, *found, source);
    if (!plan) {
        add_problem(reference, plan.error());
        return {};
    }
    for (const ByteRange& line : reference.comment_lines) edits.push_back(Edit{line, nullptr, {}, {}});
    PlacedImage image{reference.comments.shown_name(), found->path, reference.page, reference.line, 0, 0};
    edits.push_back(Edit{reference.body, std::move(*plan), {}, std::move(image)});
    return {};
}

Result<std::shared_ptr<const SplicePlan>> ReferencePlanner::emit(const Reference& reference, const FoundImage& found,
                                                                 ByteSource& source) {
    if (!reference.plate.empty())
        return fail(Code::unsupported, Operation::place,
                    "the page is one plate of a separated job (" + printable(reference.plate) +
                        "), and the picture can't be separated here; print composite and let the RIP separate");
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
    Result<void> emitted = info->kind == ImageKind::eps
                               ? emit_eps_reference(builder, reference, found, *info)
                               : emit_raster_reference(builder, reference, found, *info, source);
    if (!emitted) return fail(std::move(emitted.error()));
    return builder.finish();
}

Result<void> ReferencePlanner::check_aspect(const Reference& reference, Size file, const std::string& path) {
    const auto& dimensions = reference.comments.dimensions;
    if (!dimensions || same_aspect_rounded(*dimensions, file)) return {};
    const double mismatch = aspect_mismatch(*dimensions, file);
    const std::string text = "the shape of " + printable(file_name(path)) + " (" + format_real(file.width) + " by " +
                             format_real(file.height) + ") is not that of the placed picture (" +
                             format_real(dimensions->width) + " by " + format_real(dimensions->height) + ")";
    if (mismatch > 0.05)
        return fail(Code::bad_image, Operation::place,
                    text + "; it is another picture or was cropped after the layout was made");
    if (mismatch > 0.01) add_warning(reference, text);
    return {};
}

Result<void> ReferencePlanner::emit_raster_reference(PlanBuilder& builder, const Reference& reference,
                                                     const FoundImage& found, ImageInfo info, ByteSource& source) {
    const OpiComments& comments = reference.comments;
    info.orientation = effective_orientation(info, comments);
    const Size size = upright_size(info);
    if (auto same = check_aspect(reference, size, found.path); !same) return same;
    RasterPlacement placement;
    std::string before, after;
    if (comments.version == OpiVersion::v1_3) {
        auto placed = place_1_3(comments, size);
        if (!placed) return fail(std::move(placed.error()));
        if (auto on_page = check_on_page(reference, source); !on_page) return on_page;
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
            for (const auto& clip : form->clips) before += path_text(clip);
            if (!before.empty()) {
                before = "gsave\n" + before;
                after = "grestore\n";
            }
        }
        placement.full_to_user = placed->full_to_user * unit_to_user;
        if (placed->cropped) placement.clip_to_user = unit_to_user;
        placement.visible = visible_fraction(placed->shown, placed->dimensions);
    }
    builder.text(before);
    auto emitted =
        emit_raster(builder, found.file, info, placement, colour_request(comments), profile_, used_, warnings_);
    builder.text(after);
    return emitted;
}

Result<void> ReferencePlanner::emit_eps_reference(PlanBuilder& builder, const Reference& reference,
                                                  const FoundImage& found, const ImageInfo& info) {
    const OpiComments& comments = reference.comments;
    const BoundingBox box = *info.bounding_box;
    if (auto same = check_aspect(reference, upright_size(info), found.path); !same) return same;
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
    if (open_eps_.size() >= max_eps_depth)
        return fail(Code::unsupported, Operation::plan,
                    "EPS files refer to EPS files more than " + std::to_string(max_eps_depth) + " deep");
    if (std::find(open_eps_.begin(), open_eps_.end(), found.file->identity()) != open_eps_.end())
        return fail(Code::bad_image, Operation::plan, "the EPS refers to itself by OPI, directly or through others");

    FileByteSource source(found.file, info.eps_begin_bytes, info.eps_end_bytes);
    auto document = parse_thin_document(source);
    if (!document) return fail(std::move(document.error()));
    if (const auto level = parse_u64(document->language_level_value))
        used_.language_level = std::max(used_.language_level, static_cast<int>(std::min<std::uint64_t>(*level, 3)));
    used_.language_level = std::max(used_.language_level, 2);
    const bool binary = has_eight_bit_or_control_bytes(source);
    used_.binary_data = used_.binary_data || (binary && profile_.encoding == ChannelEncoding::binary);
    open_eps_.push_back(found.file->identity());
    const std::size_t problems_before = problems_.size();
    const unsigned number = ++eps_count_;
    auto body = plan_document(*document, PlannedFile{found.file, info.eps_begin_bytes, info.eps_end_bytes}, source);
    open_eps_.pop_back();
    if (!body) return fail(std::move(body.error()));
    for (std::size_t i = problems_before; i < problems_.size(); ++i) {
        Problem& inner = problems_[i];
        inner.text =
            "inside it, line " + std::to_string(inner.line) + ", image '" + printable(inner.name) + "': " + inner.text;
        inner.line = reference.line;
        inner.name = comments.shown_name();
    }
    emit_eps(builder, *body, file_name(found.path), !binary, placement, profile_.encoding, number);
    return {};
}

void ReferencePlanner::correct_header(const ThinDocument& document, Edits& edits) const {
    // Only the job's own header: an inserted EPS stays as it is.
    if (!open_eps_.empty()) return;
    if (document.document_data && used_.binary_data && !equals_ignoring_case(document.document_data_value, "Binary"))
        edits.push_back(Edit{*document.document_data, nullptr, "%%DocumentData: Binary", {}});
    const auto level = parse_u64(document.language_level_value);
    if (document.language_level && level && static_cast<std::uint64_t>(used_.language_level) > *level)
        edits.push_back(
            Edit{*document.language_level, nullptr, "%%LanguageLevel: " + std::to_string(used_.language_level), {}});
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
