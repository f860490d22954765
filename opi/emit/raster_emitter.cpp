// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/emit/raster_emitter.h"

#include "opi/emit/jpeg_emitter.h"
#include "opi/emit/tiff_emitter.h"

namespace opispool::opi {

Result<void> emit_raster(PlanBuilder& builder, const std::shared_ptr<const MappedFile>& file, const ImageInfo& info,
                         const RasterPlacement& placement, const ColourRequest& colour, const OutputProfile& profile,
                         UsedFeatures& used, Warnings& warnings) {
    switch (info.kind) {
        case ImageKind::tiff:
            return emit_tiff(builder, file, info, placement, colour, profile, used, warnings);
        case ImageKind::jpeg:
            return emit_jpeg(builder, file, info, placement, colour, profile, used, warnings);
        case ImageKind::eps:
            break;
    }
    return fail(Code::internal, Operation::encode, "an EPS file was taken for a picture of pixels", file->name());
}

}  // namespace opispool::opi
