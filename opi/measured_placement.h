// SPDX-License-Identifier: AGPL-3.0-or-later
// From measured image operators to a place: pure arithmetic on what a run of the job has shown (ref 2.5).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "opi/measurement.h"

namespace opispool::opi {

// The picture a proxy draws, by one image or by strips and tiles that join without a gap.
struct MeasuredPicture {
    Matrix unit_to_mark;  // unit square of the picture -> user space at the begin of the body
    Matrix mark_to_page;
    Size pixels;                 // of the proxy
    std::vector<PathStep> clip;  // in that user space; empty: none of the proxy's own
};

// passes  of one block
//   errors  unsupported: not drawn, drawn in ways that differ, no joined picture, mirror or clip in doubt
Result<MeasuredPicture> measured_picture(const std::vector<MeasuredPass>& passes);

// "newpath ... clip newpath" for the clip; empty without one.
std::string clip_text(const std::vector<PathStep>& clip);

enum class Verdict : std::uint8_t { agrees, differs, no_opinion };

struct PositionCheck {
    Verdict verdict = Verdict::no_opinion;
    std::string text;  // differs: both places, for the operator
};

// Whether the proxy is drawn where the block's numbers put the picture: its visible part or the whole of it, within
// 1 pt or 1 % and a pixel of the proxy. A proxy that draws no image, or images that don't join, gives no opinion.
//   part_to_mark   unit square -> visible part, in user space at the begin of the body
//   whole_to_mark  unit square -> whole picture
PositionCheck check_measured_position(const std::vector<MeasuredPass>& passes, const Matrix& part_to_mark,
                                      const Matrix& whole_to_mark);

}  // namespace opispool::opi
