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

// Appends the wrapper with `body` (the EPS, planned on its own) inside: gsave, clip, matrix, save; graphics state as a
// page starts with; showpage and its like switched off; afterwards surplus operands and dictionaries are dropped.
//   number   differs for every EPS of one result, so that nested ones don't meet in userdict
//   encoding binary: the body as it is. Otherwise a body that is not 7-bit clean leaves as one encoded run
void emit_eps(PlanBuilder& builder, const std::shared_ptr<const SplicePlan>& body, const std::string& name,
              bool clean_7_bit, const EpsPlacement& placement, ChannelEncoding encoding, unsigned number);

}  // namespace opispool::opi
