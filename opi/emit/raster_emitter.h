// SPDX-License-Identifier: AGPL-3.0-or-later
// TIFF and JPEG files to PostScript image code, as spans of a plan. Compressed strips pass through untouched wherever a
// PostScript filter reads them exactly (ref 6.2); everything else becomes a generated span whose length is known.
#pragma once

#include <memory>

#include "base/mapped_file.h"
#include "base/result.h"
#include "opi/image_probe.h"
#include "opi/image_request.h"
#include "opi/splice_plan.h"

namespace opispool::opi {

// Appends code that paints the picture and leaves operand stack, dictionary stack and graphics state as they were:
// gsave ... grestore around everything, names in a private dictionary under systemdict so that neither the job's short
// names nor its redefinitions of operators are met. Data is bracketed by exact %%BeginData counts.
//   file     a store image: read by pread, mapped bytes only by file_range spans
//   errors   bad_image: damaged, truncated strips, impossible tags (checked by decoding, before byte one);
//            unsupported: colour or compression that can't be placed exactly, with what to do
//   used     is raised to what the emitted code needs
//   thread   any; no shared state
Result<void> emit_raster(PlanBuilder& builder, const std::shared_ptr<const MappedFile>& file, const ImageInfo& info,
                         const RasterPlacement& placement, const ColourRequest& colour, const OutputProfile& profile,
                         UsedFeatures& used, Warnings& warnings);

}  // namespace opispool::opi
