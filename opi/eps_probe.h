// SPDX-License-Identifier: AGPL-3.0-or-later
// The envelope and header of an EPS: where its PostScript lies in the file and what box it fills (ref 5.4, 6.6).
#pragma once

#include <memory>

#include "base/mapped_file.h"
#include "base/result.h"
#include "opi/image_probe.h"

namespace opispool::opi {

// Cuts off a DOS EPS header with its preview, other bytes before "%!" (MacBinary, AppleSingle, ^D, BOM) and ^D, ^Z and
// NULs at the end; reads %%BoundingBox (also at the end) and prefers %%HiResBoundingBox where the two agree within a
// point.
//   errors  bad_image: no "%!", no usable BoundingBox; unsupported: DCS
//   cost    the header; the whole file once if the box is given at the end
Result<ImageInfo> probe_eps(const std::shared_ptr<const MappedFile>& file);

}  // namespace opispool::opi
