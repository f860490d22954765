// SPDX-License-Identifier: AGPL-3.0-or-later
// What a run of the thin job says about its proxies: where each image operator between two marks paints. The planner
// asks through `Measurer`; opi/gs answers with Ghostscript in a process of its own, tests with what they like.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/mapped_file.h"
#include "base/result.h"
#include "opi/matrix.h"
#include "opi/thin_document.h"

namespace opispool::opi {

struct PathStep {
    char kind = 'h';  // m, l, c or h
    std::vector<Point> points;
    friend bool operator==(const PathStep&, const PathStep&) = default;
};

// The clip in force, in default user space of the page.
struct MeasuredClip {
    bool known = false;  // false: too long, or not to be had
    std::vector<PathStep> steps;
    friend bool operator==(const MeasuredClip&, const MeasuredClip&) = default;
};

struct MeasuredImage {
    Matrix unit_to_page;  // unit square of the picture, first row on top -> default user space
    double width = 0, height = 0;
    bool mask = false;
    bool first_row_on_top = true;  // by the image's own matrix, [w 0 0 -h 0 h]; otherwise it may be stored bottom up
    MeasuredClip clip;
};

// One passage through a block; a block in a loop has several.
struct MeasuredPass {
    Matrix mark_to_page;  // user space at the begin of the block's body -> default user space
    MeasuredClip clip;
    bool finished = false;  // the end of the body was reached
    std::vector<MeasuredImage> images;
};

struct Measurements {
    std::map<std::uint64_t, std::vector<MeasuredPass>> passes;  // by the offset where the block's body begins
    std::string trouble;                                        // why the run ended early; empty if it did not
};

// Bytes [begin_bytes, end_bytes) of `file` are the document; the ranges count from begin_bytes.
struct MeasureRequest {
    std::shared_ptr<const MappedFile> file;
    std::uint64_t begin_bytes = 0, end_bytes = 0;
    std::vector<ByteRange> bodies;  // properly nested, outer before inner, ascending
};

class Measurer {
  public:
    virtual ~Measurer() = default;
    //   errors  whatever kept the run from being made; says what to do
    //   thread  one at a time, blocks      cost  an interpreter's run over the document
    virtual Result<Measurements> measure(const MeasureRequest& request) = 0;
};

}  // namespace opispool::opi
