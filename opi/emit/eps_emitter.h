// SPDX-License-Identifier: AGPL-3.0-or-later
// The PostScript around an inserted EPS: it is placed, clipped, run in a cage and leaves nothing behind (ref 6.6).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "opi/image_probe.h"
#include "opi/image_request.h"
#include "opi/splice_plan.h"

namespace opispool::opi {

struct EpsPlacement {
    std::optional<Matrix> eps_to_user;   // absent: the producer has set up the EPS's own coordinates (OPI 2.0)
    std::optional<Matrix> clip_to_user;  // unit square of the visible part; absent: the whole box
    BoundingBox box;                     // clipped to only when eps_to_user is given
    bool whole_box_clip = true;
};

struct EpsBody {
    std::shared_ptr<const SplicePlan> plan;  // the EPS, planned on its own
    std::string name;
    bool clean_7_bit = false;
    unsigned number = 0;         // differs for every EPS of one result, so that nested ones don't meet in userdict
    bool own_operators = false;  // a plate: the job's redefinitions of painting operators must not reach it
};

// Appends the wrapper with the EPS inside: clip, matrix, save; graphics state as a page starts with; showpage and its
// like switched off. Afterwards operands, dictionaries, graphics state and VM are as before, whatever the EPS did to
// them; `stop` and `quit` end the EPS only, an error ends the job as it would have done without a wrapper.
//   encoding binary: the body as it is. Otherwise a body that is not 7-bit clean leaves as one encoded run
//   errors   too_large: 2 GB
Result<void> emit_eps(PlanBuilder& builder, const EpsBody& eps, const EpsPlacement& placement,
                      ChannelEncoding encoding);

// gsave, clip and matrix of a placed EPS; whoever appends it appends `grestore`. Under systemdict.
std::string eps_frame(const EpsPlacement& placement);

// Appends the box of an EPS in white: a plate without ink there, which knocks out what lies below.
void emit_paper(PlanBuilder& builder, const EpsPlacement& placement);

}  // namespace opispool::opi
