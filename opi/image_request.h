// SPDX-License-Identifier: AGPL-3.0-or-later
// What an OPI comment block asks for, in the specification's words; plain records, filled by opi_comments, read by the
// planner and the emitters.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "opi/matrix.h"
#include "opi/plate.h"

namespace opispool {
class FileFacts;
class WorkCrew;
}  // namespace opispool

namespace opispool::opi {

enum class OpiVersion : std::uint8_t { v1_3, v2_0 };

struct Size {
    double width = 0, height = 0;
};

// Pixels of ImageDimensions, origin top left, y down (OPI 1.3 and 2.0, ImageCropRect / ImageCropFixed).
struct CropRect {
    double left = 0, top = 0, right = 0, bottom = 0;
    double width() const { return right - left; }
    double height() const { return bottom - top; }
};

struct InkLevel {
    std::string name;
    double level = 1;  // 0..1
};

// How a 1-bit or gray picture is to be coloured. Colour pictures ignore all of it but `overprint`.
struct ColourRequest {
    enum class Kind : std::uint8_t {
        none,          // plain black at `tint`
        process,       // cmyk * tint on the process plates
        spot,          // one named colorant at strength tint, alternate colour cmyk
        inks,          // OPI 2.0 ImageInks monochrome: `inks` (alternates unknown unless process names)
        registration,  // every plate
    };
    Kind kind = Kind::none;
    std::array<double, 4> cmyk{0, 0, 0, 1};
    std::string spot_name;
    double tint = 1;
    std::vector<InkLevel> inks;
    std::optional<bool> overprint;        // set only when the comment is present: otherwise the page's own state stays
    bool transparent = true;              // 1-bit: white is not painted (OPI 1.3 ImageTransparency, default true)
    std::vector<std::uint16_t> gray_map;  // 2, 16 or 256 values 0..65535; empty = identity
};

// Where the picture goes, ready for an emitter.
struct RasterPlacement {
    Matrix full_to_user;  // unit square of the FULL upright picture -> user space in force at the insertion
    std::optional<Matrix> clip_to_user;  // unit square of the visible part -> user space; absent = no clip needed
    CropRect visible;              // visible part as fractions 0..1 of the upright picture, y down, rounded outwards
                                   // by the emitter; data wholly outside may be left out
    std::optional<Plate> plate{};  // of a page that shows one ink only
};

// An ink that a queue's device may have, and what takes its place on one that has not.
struct InkColour {
    std::string name;
    std::array<double, 4> cmyk{};  // of the full ink, 0..1
};

// The channel between us and the RIP.
enum class ChannelEncoding : std::uint8_t { binary, ascii85, hex };

struct OutputProfile {
    ChannelEncoding encoding = ChannelEncoding::binary;
    int language_level = 3;  // 2: no Level 3 filter, image type or colour space leaves
    // Compressed strips are decoded once while planning, so that no job begins whose pictures are cut off. False for a
    // dry run, which says what a job would become and must not be sent.
    bool prove_pictures = true;
    std::shared_ptr<FileFacts> proofs = {};  // what need not be proved again; may be null
    std::shared_ptr<WorkCrew> crew = {};     // decodes with whoever plans or sends; may be null
    bool gray_as_black = false;              // gray leaves as Separation /Black, out of reach of colour management
    std::vector<InkColour> inks{};           // the spot inks that pictures may be printed with
};

// What the emitters used, so that the job's header comments can be kept truthful.
struct UsedFeatures {
    bool binary_data = false;
    bool eight_bit_text = false;
    int language_level = 1;
    std::vector<std::string> picture_inks;                   // of the last picture that was put on a plate
    std::set<std::string> process_inks;                      // "Cyan" ...
    std::map<std::string, std::array<double, 4>> spot_inks;  // with their CMYK; all 0 where it is not known
    std::set<std::string> needed_fonts;                      // of inserted EPS, which don't bring them
};

using Warnings = std::vector<std::string>;

}  // namespace opispool::opi
