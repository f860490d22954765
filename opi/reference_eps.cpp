// SPDX-License-Identifier: AGPL-3.0-or-later
// The EPS half of ReferencePlanner: an EPS brought in is a document with references of its own.
#include <algorithm>

#include "base/text.h"
#include "opi/emit/eps_emitter.h"
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

}  // namespace

Result<void> ReferencePlanner::emit_eps_reference(PlanBuilder& builder, const Reference& reference,
                                                  const FoundImage& found, const ImageInfo& info, Warnings& notes) {
    auto placement = place_eps(reference, info, found, notes);
    if (!placement) return fail(std::move(placement.error()));
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
        inner.name = reference.comments.shown_name();
    }
    emit_eps(builder, *body, found.base_name(), !binary, *placement, profile_.encoding, number);
    return {};
}

}  // namespace opispool::opi
