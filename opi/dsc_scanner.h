// SPDX-License-Identifier: AGPL-3.0-or-later
// One pass over a PostScript job that stops only at comment lines a document manager may care about. Everything between
// them is passed over by memchr; counted data (%%BeginData, %%BeginBinary) is skipped unread once its count has proved
// true.
//
//   mapped spool file or store EPS --DscScanner--> comment lines with byte offsets --parse_thin_document--> requests
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "opi/byte_source.h"

namespace opispool::opi {

struct DscLine {
    std::uint64_t begin_bytes = 0;  // the '%'
    std::uint64_t next_bytes = 0;   // first byte behind the line end (CR, LF or CR LF)
    std::string text;               // without the line end; longer lines are cut at 64 KiB
    bool starts_job = false;        // first comment behind a ^D or a PJL wrapper: a new job begins, forget all nesting
    // %%BeginData / %%BeginBinary with a count:
    bool counted = false;    // the data was skipped; the next line is its %%EndData / %%EndBinary
    bool bad_count = false;  // the count did not lead to the end comment; the first end comment was taken, if any
};

// The keyword with its percent signs, up to and without the colon or blank: "%%BeginData", "%ALDImageFilename".
std::string_view keyword_of(std::string_view line);
// What follows the keyword, its colon and any blanks; trailing blanks are kept (they may belong to a file name).
std::string_view value_of(std::string_view line);
// Keywords are compared without case.
bool has_keyword(std::string_view line, std::string_view keyword);

class DscScanner {
  public:
    static constexpr std::size_t max_line_bytes = 64U << 10U;

    // source  outlives the scanner; ask source.status() after the last line      thread  one at a time
    explicit DscScanner(ByteSource& source);

    // The next comment line that starts with "%%", "%!", "%A" (%ALD, %ADO) or "%B"/"%E" (%BeginPhotoshop and the like),
    // or nothing at the end. The PJL wrapper (UEL ... @PJL ENTER LANGUAGE) is never looked into.
    //   cost  every byte outside counted data is looked at once; a wrong count costs one more search for its end
    //   comment
    std::optional<DscLine> next();
    // Where the search for the next line begins: behind the last line, or at the end comment of skipped data.
    std::uint64_t position_bytes() const { return position_; }

  private:
    bool find_line_start();              // moves position_ to the next candidate '%'
    void skip_pjl();                     // position_ is behind a UEL or at a bare "@PJL"
    char char_at(std::uint64_t offset);  // NUL at the end
    bool at(std::uint64_t offset, std::string_view bytes);
    std::uint64_t line_end(std::uint64_t offset, std::uint64_t limit_bytes);
    std::uint64_t behind_line_end(std::uint64_t end);
    void skip_counted(DscLine& line);
    std::optional<std::uint64_t> find_end_comment(std::uint64_t from, std::string_view keyword);
    std::optional<std::uint64_t> landing(const DscLine& line, std::string_view keyword);

    ByteSource& source_;
    std::uint64_t position_ = 0;
    bool job_start_ = true;
    std::uint64_t no_end_data_from_ = UINT64_MAX;  // a search from here on found no end comment: don't repeat it
    std::uint64_t no_end_binary_from_ = UINT64_MAX;
};

}  // namespace opispool::opi
