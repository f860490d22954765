// SPDX-License-Identifier: AGPL-3.0-or-later
// A thin job in windows of several sizes gives one document, and all its ranges lie inside the job and in order.
#include "opi/thin_document.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "tests/fuzz/require.h"

namespace opispool::opi {
namespace {

using fuzz::require;

// Each window is a block of its own that dies with the next call, so that a sanitizer sees what is kept too long.
class SplitByteSource final : public ByteSource {
  public:
    SplitByteSource(std::string_view bytes, std::size_t window_bytes) : bytes_(bytes), window_bytes_(window_bytes) {}
    std::uint64_t size_bytes() const override { return bytes_.size(); }
    std::string_view window(std::uint64_t offset_bytes) override {
        window_.reset();
        if (offset_bytes >= bytes_.size()) return {};
        // Windows end at multiples of their size, as those of a file do, and so are of every length.
        const std::size_t within = static_cast<std::size_t>(offset_bytes % window_bytes_);
        const std::string_view piece = bytes_.substr(static_cast<std::size_t>(offset_bytes), window_bytes_ - within);
        window_ = std::make_unique<char[]>(piece.size());
        std::copy(piece.begin(), piece.end(), window_.get());
        return {window_.get(), piece.size()};
    }

  private:
    std::string_view bytes_;
    std::size_t window_bytes_;
    std::unique_ptr<char[]> window_;
};

void tell(std::string& story, ByteRange range) {
    story += " " + std::to_string(range.begin) + "-" + std::to_string(range.end);
}

void tell(std::string& story, const std::vector<Reference>& references) {
    for (const Reference& each : references) {
        story += "page " + std::to_string(each.page) + " depth " + std::to_string(each.depth) + " line " +
                 std::to_string(each.line) + (each.in_procedure ? " in procedure" : "") +
                 (each.object_unbalanced ? " unbalanced" : "");
        tell(story, each.block);
        tell(story, each.body);
        story += " lines";
        for (const ByteRange& line : each.comment_lines) tell(story, line);
        if (each.page_box) story += " box " + std::to_string(each.page_box->llx);
        story += " name " + each.comments.shown_name() + "\n";
        for (const std::string& problem : each.problems) story += "problem " + problem + "\n";
        for (const std::string& problem : each.comments.problems) story += "value " + problem + "\n";
        story += "inner {\n";
        tell(story, each.inner);
        story += "}\n";
    }
}

std::string told(const ThinDocument& document) {
    std::string story = std::to_string(document.pages) + " pages, " + document.document_data_value + ", " +
                        document.language_level_value + "\n";
    if (document.document_data) tell(story, *document.document_data);
    if (document.language_level) tell(story, *document.language_level);
    for (const std::string& warning : document.warnings) story += "warning " + warning + "\n";
    tell(story, document.references);
    return story;
}

bool before(ByteRange a, ByteRange b) {
    return a.begin < b.begin;
}

// References come in file order, and what the planner takes out and puts in for them lies between `begin` and `end` and
// never meets. 1.3 comments may stand around another block, so whole blocks may overlap.
void check_references(const std::vector<Reference>& references, std::uint64_t begin, std::uint64_t end) {
    std::uint64_t last = begin;
    std::vector<ByteRange> edits;
    for (const Reference& each : references) {
        require(each.block.begin >= last, "references come in file order");
        require(each.block.begin <= each.block.end && each.block.end <= end, "a block lies inside what it stands in");
        last = each.block.begin;
        if (!each.problems.empty()) continue;  // never honoured, so its body may lack an end
        for (const ByteRange& line : each.comment_lines) edits.push_back(line);
        edits.push_back(each.body);
        check_references(each.inner, each.block.begin, each.block.end);
    }
    std::stable_sort(edits.begin(), edits.end(), before);
    std::uint64_t behind = begin;
    for (const ByteRange& edit : edits) {
        require(edit.begin <= edit.end && edit.end <= end, "an edit lies inside what its block stands in");
        require(edit.begin >= behind, "edits do not overlap");
        behind = edit.end;
    }
}

std::string parsed(ByteSource& source) {
    const auto document = parse_thin_document(source);
    require(document.has_value(), "a source in memory has no error");
    check_references(document->references, 0, source.size_bytes());
    return told(*document);
}

}  // namespace
}  // namespace opispool::opi

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace opispool::opi;
    const std::string_view bytes = opispool::fuzz::as_text(data, size);
    MemoryByteSource whole(bytes);
    const std::string story = parsed(whole);
    for (const std::size_t window_bytes : {std::size_t{1}, std::size_t{13}, std::size_t{4096}}) {
        SplitByteSource split(bytes, window_bytes);
        const std::string other = parsed(split);
        if (other != story) std::fprintf(stderr, "whole:\n%s\nwindows:\n%s\n", story.c_str(), other.c_str());
        opispool::fuzz::require(other == story, "windows of " + std::to_string(window_bytes) + " give the same");
    }
    return 0;
}
