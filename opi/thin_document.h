// SPDX-License-Identifier: AGPL-3.0-or-later
// Every picture reference of a job, with the byte ranges that its replacement takes the place of.
//
//   DscScanner lines --parse_thin_document--> ThinDocument --planner--> SplicePlan
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "opi/byte_source.h"
#include "opi/image_probe.h"
#include "opi/opi_comments.h"
#include "opi/plate.h"

namespace opispool::opi {

struct ByteRange {
    std::uint64_t begin = 0, end = 0;
    bool empty() const { return begin >= end; }
};

// One OPI block.
struct Reference {
    OpiComments comments;
    int page = 0;                          // ordinal of the outer document's page, from 1; 0 before the first
    int depth = 0;                         // %%BeginDocument nesting
    std::uint64_t line = 0;                // of the first comment, from 1
    ByteRange block;                       // first comment ... end of the last line of the block
    std::vector<ByteRange> comment_lines;  // taken out when the reference is honoured
    std::optional<Plate> plate;            // of a page that was separated by the producer; nothing: composite
    std::optional<BoundingBox> page_box;   // of the outer page, default user space, if the job says
    ByteRange body;                        // the proxy: replaced. Empty range at the insertion point if there was none
    bool in_procedure = false;             // the insertion point lies inside { }
    bool object_unbalanced = false;        // 1.3: the deleted object would change the graphics state or stacks
    std::vector<std::string> problems;     // malformed structure or values
    std::vector<Reference> inner;          // blocks inside the body, honoured only if this one is not
};

// A header comment whose value is a list, with its continuation lines.
struct HeaderList {
    std::string keyword, value;   // keyword in lower case; value with the continuations joined by blanks
    std::uint64_t end_bytes = 0;  // of the last line, without its line end
    std::string line_end;
};

// What was before the source, of a document that is read page by page.
struct ThinBefore {
    int pages = 0;
    std::uint64_t lines = 0;
    bool seen_opi = false;  // strings are told from comments only since then
    std::optional<BoundingBox> document_box;
};

// The begin of a page at which everything before is closed.
struct PageCut {
    std::uint64_t begin_bytes = 0;
    int pages_before = 0;
    std::size_t warnings_before = 0;
};

struct ThinDocument {
    std::vector<Reference> references;  // in file order, ranges don't overlap
    int pages = 0;                      // with those before the source
    std::optional<PageCut> last_cut;    // the last one that bytes which are still to come can't change
    bool seen_opi = false;
    std::optional<BoundingBox> document_box;  // as far as the header says
    std::vector<std::string> plates;          // the inks that separated pages are for; empty: composite
    // Header comments that may have to be corrected; line without its line end.
    std::optional<ByteRange> document_data, language_level;
    std::string document_data_value, language_level_value;
    std::string creator;  // the first %%Creator
    std::vector<HeaderList>
        header_lists;  // colours and resources; the first that is not (atend), so perhaps of the trailer
    std::vector<std::string> warnings;
};

// source  whole document (or the PostScript section of an EPS)
//   errors  those of the source; doubtful comments become problems of their reference or warnings
//   thread  any one        cost  one pass; counted data is skipped, and the text before an OPI comment is read once
//   more
Result<ThinDocument> parse_thin_document(ByteSource& source, const ThinBefore& before = {});

}  // namespace opispool::opi
