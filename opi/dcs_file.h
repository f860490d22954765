// SPDX-License-Identifier: AGPL-3.0-or-later
// DCS: an EPS whose comments name one EPS for each ink, in files of their own or behind the main one (ref 4.2).
//
//   comment lines of the header --DcsReader--> DcsComments --locate_plates--> where each plate's PostScript lies
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/mapped_file.h"
#include "base/result.h"

namespace opispool::opi {

// One plate as the comments name it.
struct DcsPlate {
    std::string ink;   // "Cyan", "PANTONE 185 CVC"
    std::string file;  // as the comment wrote it, decoded; empty: the plate lies in the main file
    std::uint64_t offset_bytes = 0, length_bytes = 0;  // in the main file, as claimed
};

struct DcsComments {
    std::vector<DcsPlate> plates;
    std::map<std::string, std::array<double, 4>> cmyk;  // %%CMYKCustomColor: what a spot ink looks like
    std::string problem;                                // the first comment that can't be read; empty if none
};

// Reads DCS 1 (%%CyanPlate ...) and DCS 2 (%%PlateFile with %%+), line by line.
class DcsReader {
  public:
    static constexpr std::size_t max_plates = 64;

    void take(std::string_view line);
    bool is_dcs() const { return !out_.plates.empty() || !out_.problem.empty(); }
    const DcsComments& comments() const { return out_; }

  private:
    void take_value(std::string_view value);
    void take_plate_file(std::string_view value);
    void take_colour(std::string_view value);
    void add(DcsPlate plate);
    void problem(std::string_view line, const char* wanted);

    enum class Continued { none, plates, colours } continued_ = Continued::none;
    DcsComments out_;
};

// Where the PostScript of one plate lies.
struct LocatedPlate {
    std::string ink;
    std::shared_ptr<const MappedFile> file;
    std::uint64_t begin_bytes = 0, end_bytes = 0;
};

// main          the DCS file; section_begin_bytes: of its PostScript (behind a DOS header)
// open_beside   opens the file a comment names, out of the main file's own folder
//   errors  bad_image, not_found: naming plate and file. Claimed offsets are obeyed only where "%!" stands; both bases
//           of a DOS file are tried, then the neighbourhood (producers count wrongly)
using OpenBeside = std::function<Result<std::shared_ptr<const MappedFile>>(const std::string& name)>;
Result<std::vector<LocatedPlate>> locate_plates(const std::shared_ptr<const MappedFile>& main,
                                                std::uint64_t section_begin_bytes, const DcsComments& comments,
                                                const OpenBeside& open_beside);

}  // namespace opispool::opi
