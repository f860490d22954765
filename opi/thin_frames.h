// SPDX-License-Identifier: AGPL-3.0-or-later
// What is open while a thin document is read: an inner header of thin_document.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "opi/dsc_scanner.h"
#include "opi/thin_document.h"

namespace opispool::opi {

// A block while it is being read.
struct OpenReference {
    Reference reference;
    std::vector<RawComment> raw;
    bool has_body = false;
};

enum class FrameKind { document, object, object_1_3, opi_2_0, included_2_0, section };

struct Frame {
    FrameKind kind;
    std::string end_keyword;               // section: what closes it
    std::optional<OpenReference> open;     // object_1_3, opi_2_0
    std::optional<OpenReference> pending;  // 1.3 comments read, object not yet begun
    std::vector<Reference> tentative;      // section: found where only templates should stand
};

inline int document_depth(const std::vector<Frame>& stack) {
    int depth = -1;
    for (const Frame& frame : stack) depth += frame.kind == FrameKind::document;
    return depth;
}

// In the innermost document.
inline bool has_frame(const std::vector<Frame>& stack, FrameKind kind) {
    for (std::size_t i = stack.size(); i-- > 0;) {
        if (stack[i].kind == kind) return true;
        if (stack[i].kind == FrameKind::document) return false;
    }
    return false;
}

inline constexpr std::array<std::pair<std::string_view, std::string_view>, 6> sections{{
    {"%%BeginProlog", "%%EndProlog"},
    {"%%BeginResource", "%%EndResource"},
    {"%%BeginProcSet", "%%EndProcSet"},
    {"%%BeginFont", "%%EndFont"},
    {"%%BeginDefaults", "%%EndDefaults"},
    {"%%BeginFile", "%%EndFile"},
}};

inline bool has_raw(const OpenReference& open, std::string_view keyword) {
    for (const RawComment& comment : open.raw)
        if (equals_ignoring_case(comment.keyword, keyword)) return true;
    return false;
}

// 1.3 comments that were followed not by an object but by a 2.0 block of the same picture.
inline bool names_same_picture(const OpenReference& first, const OpenReference& second) {
    const OpiComments a = parse_opi_comments(OpiVersion::v1_3, first.raw);
    const OpiComments b = parse_opi_comments(OpiVersion::v2_0, second.raw);
    return a.filename == b.filename || a.filename == b.main_image;
}

// 1.3 comments that wait for their object are finished behind blocks that begin after them.
inline void insert_in_order(std::vector<Reference>& references, Reference reference) {
    auto at = references.end();
    while (at != references.begin() && std::prev(at)->block.begin > reference.block.begin) --at;
    references.insert(at, std::move(reference));
}

// What belongs to jobs of the file that are read to their end.
struct JobsRead {
    std::size_t references = 0;
    int pages = 0;
};

inline void tell_plate(Reference& reference, const PlateSignals& signals, int pages_before) {
    auto verdict = signals.verdict(static_cast<std::size_t>(reference.page - pages_before), reference.plate);
    reference.plate = std::move(verdict.plate);
    if (!verdict.problem.empty()) reference.problems.push_back(std::move(verdict.problem));
    for (Reference& inner : reference.inner) tell_plate(inner, signals, pages_before);
}

// A job's pages are told at its end: the comments of one page say whether the others are plates.
inline void tell_plates(ThinDocument& document, PlateSignals& signals, const JobsRead& before) {
    signals.finish();
    for (std::size_t i = before.references; i < document.references.size(); ++i)
        tell_plate(document.references[i], signals, before.pages);
    for (std::string& ink : signals.plates()) document.plates.push_back(std::move(ink));
}

inline std::optional<BoundingBox> parse_page_box(std::string_view text) {
    const auto fields = split_blank(trim(value_of(text)));
    std::array<double, 4> v{};
    for (std::size_t i = 0; i < 4; ++i) {
        const auto number = i < fields.size() ? parse_real(fields[i]) : std::nullopt;
        if (!number) return std::nullopt;
        v[i] = *number;
    }
    return BoundingBox{v[0], v[1], v[2], v[3]};
}

// Header comments that may have to be corrected once it is known what the pictures need.
inline void note_header_comment(ThinDocument& document, const DscLine& line) {
    const std::uint64_t end = line.begin_bytes + line.text.size();
    const std::string value(trim(value_of(line.text)));
    if (equals_ignoring_case(value, "(atend)")) return;
    if (has_keyword(line.text, "%%DocumentData") && !document.document_data) {
        document.document_data = ByteRange{line.begin_bytes, end};
        document.document_data_value = value;
    }
    if (has_keyword(line.text, "%%LanguageLevel") && !document.language_level) {
        document.language_level = ByteRange{line.begin_bytes, end};
        document.language_level_value = value;
    }
    if (has_keyword(line.text, "%%Creator") && document.creator.empty()) document.creator = value;
}

inline constexpr std::array<std::string_view, 7> header_list_keywords{
    "%%documentprocesscolors", "%%documentcustomcolors",  "%%cmykcustomcolor",          "%%documentneededresources",
    "%%documentneededfonts",   "%%documentsuppliedfonts", "%%documentsuppliedresources"};

// Lists of colours and resources. %%CMYKCustomColor may stand on several lines, each with its own keyword.
inline void note_header_list(ThinDocument& document, const DscLine& line, ByteSource& source) {
    const std::string keyword = to_lower_ascii(keyword_of(line.text));
    const bool known =
        std::find(header_list_keywords.begin(), header_list_keywords.end(), keyword) != header_list_keywords.end();
    if (!known || document.header_lists.size() >= 256) return;
    const std::string value(trim(value_of(line.text)));
    if (equals_ignoring_case(value, "(atend)")) return;
    const std::uint64_t end = line.begin_bytes + line.text.size();
    document.header_lists.push_back(
        {keyword, value, end, source.copy(end, static_cast<std::size_t>(line.next_bytes - end))});
}

// A %%+ right behind the list.
inline void continue_header_list(ThinDocument& document, const DscLine& line) {
    if (document.header_lists.empty()) return;
    HeaderList& list = document.header_lists.back();
    if (list.end_bytes + list.line_end.size() != line.begin_bytes) return;
    list.value += " " + std::string(trim(value_of(line.text)));
    list.end_bytes = line.begin_bytes + line.text.size();
}

}  // namespace opispool::opi
