// SPDX-License-Identifier: AGPL-3.0-or-later
// The plates of a DCS as one picture: on a composite device as on separations every ink comes out as its plate has it,
// without overprinting (ref 4.2).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "opi/emit/encoders.h"
#include "opi/emit/eps_emitter.h"
#include "opi/emit/ink_space.h"
#include "opi/image_request.h"

namespace opispool::opi {

struct DcsLayer {
    Ink ink;
    std::shared_ptr<const MappedFile> file;
    std::shared_ptr<const ByteSupply> rows;  // samples, 0 = full ink
};

// All layers have this size and depth; samples are neither scaled nor converted.
struct DcsImage {
    std::uint32_t width_px = 0, height_px = 0;
    std::uint16_t bits = 8;
    Matrix unit_to_eps;
    std::optional<bool> overprint;
    std::vector<DcsLayer> layers;
};

// Process inks alone leave as DeviceCMYK, a plate that is not there as blank; one spot as Separation; spots among
// others as DeviceN.
//   errors  unsupported: DeviceN on a Level 2 device
Result<void> emit_dcs(PlanBuilder& builder, DcsImage image, const EpsPlacement& placement, const OutputProfile& profile,
                      UsedFeatures& used);

}  // namespace opispool::opi
