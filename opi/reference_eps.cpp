// SPDX-License-Identifier: AGPL-3.0-or-later
// The EPS half of ReferencePlanner: an EPS brought in is a document with references of its own.
#include <algorithm>

#include "base/text.h"
#include "opi/emit/eps_emitter.h"
#include "opi/job_header.h"
#include "opi/reference_placement.h"
#include "opi/reference_planner.h"

namespace opispool::opi {

namespace {

constexpr std::size_t max_eps_depth = 5;

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

void set_plate(Reference& reference, const Plate& plate) {
    reference.plate = plate;
    for (Reference& inner : reference.inner) set_plate(inner, plate);
}

}  // namespace

Result<void> ReferencePlanner::emit_eps_reference(PlanBuilder& builder, const Reference& reference,
                                                  const FoundImage& found, const ImageInfo& info, Warnings& notes) {
    auto placement = place_eps(reference, info, found, *measured_, notes);
    if (!placement) return fail(std::move(placement.error()));
    const PlannedFile whole{found.file, info.eps_begin_bytes, info.eps_end_bytes};
    if (!info.dcs && reference.plate)
        notes.emplace_back(
            "an EPS on a separated page prints what the job's own procedures make of its colours; only a DCS brings "
            "plates");
    if (!info.dcs) return append_eps(builder, reference, whole, found.base_name(), *placement, false);
    auto plates = find_plates(found, info);
    if (!plates) return fail(std::move(plates.error()));
    if (reference.plate) return emit_dcs_plate(builder, reference, found, *plates, *placement);
    return emit_composite_dcs(builder, reference, info, *plates, *placement);
}

Result<void> ReferencePlanner::append_eps(PlanBuilder& builder, const Reference& reference, const PlannedFile& section,
                                          const std::string& name, const EpsPlacement& placement, bool own_operators) {
    if (open_eps_.size() >= max_eps_depth)
        return fail(Code::unsupported, Operation::plan,
                    "EPS files refer to EPS files more than " + std::to_string(max_eps_depth) + " deep");
    if (std::find(open_eps_.begin(), open_eps_.end(), section.file->identity()) != open_eps_.end())
        return fail(Code::bad_image, Operation::plan, "the EPS refers to itself by OPI, directly or through others");

    FileByteSource source(section.file, section.begin_bytes, section.end_bytes);
    auto document = parse_thin_document(source);
    if (!document) return fail(std::move(document.error()));
    // The page's plate is that of everything on it.
    if (reference.plate)
        for (Reference& inner : document->references) set_plate(inner, *reference.plate);
    if (const auto level = parse_u64(document->language_level_value))
        used_.language_level = std::max(used_.language_level, static_cast<int>(std::min<std::uint64_t>(*level, 3)));
    used_.language_level = std::max(used_.language_level, 2);
    note_claims(*document, !reference.plate, used_);
    const bool binary = has_eight_bit_or_control_bytes(source);
    used_.binary_data = used_.binary_data || (binary && profile_.encoding == ChannelEncoding::binary);
    open_eps_.push_back(section.file->identity());
    const std::size_t problems_before = problems_.size();
    const unsigned number = ++eps_count_;
    auto body = plan_document(*document, section, source);
    open_eps_.pop_back();
    if (!body) return fail(std::move(body.error()));
    for (std::size_t i = problems_before; i < problems_.size(); ++i) {
        Problem& inner = problems_[i];
        inner.text =
            "inside it, line " + std::to_string(inner.line) + ", image '" + printable(inner.name) + "': " + inner.text;
        inner.line = reference.line;
        inner.name = reference.comments.shown_name();
    }
    return emit_eps(builder, EpsBody{*body, name, !binary, number, own_operators}, placement, profile_.encoding);
}

}  // namespace opispool::opi
