// SPDX-License-Identifier: AGPL-3.0-or-later
// JPEG files to PostScript image code. See raster_emitter.h for the contract.
#pragma once

#include "opi/emit/raster_emitter.h"

namespace opispool::opi {

Result<void> emit_jpeg(PlanBuilder& builder, const std::shared_ptr<const MappedFile>& file, const ImageInfo& info,
                       const RasterPlacement& placement, const ColourRequest& colour, const OutputProfile& profile,
                       UsedFeatures& used, Warnings& warnings);

}  // namespace opispool::opi
