// SPDX-License-Identifier: AGPL-3.0-or-later
// The envelope and header of an EPS: where its PostScript lies in the file and what box it fills (ref 5.4, 6.6).
#pragma once

#include <memory>

#include "base/mapped_file.h"
#include "base/result.h"
#include "opi/image_probe.h"

namespace opispool::opi {

// The bytes of a file that are PostScript.
struct EpsSection {
    std::uint64_t begin = 0, end = 0;
};

// The data fork of a MacBinary (I to III) or AppleSingle file; any other file as a whole.
//   errors  bad_image: AppleDouble, the half of a file that holds no data
Result<EpsSection> find_data_fork(const MappedFile& file);

// Cuts off MacBinary and AppleSingle (only the data fork counts), a DOS EPS header with its preview, other bytes before
// "%!" (^D, BOM, a mail header) and ^D, ^Z and NULs at the end.
//   errors  bad_image: no "%!", a header that points out of the file
Result<EpsSection> find_eps_section(const MappedFile& file);
// The end of it only.
Result<EpsSection> trim_eps_section(const MappedFile& file, EpsSection section);

// Reads %%BoundingBox (also at the end), prefers %%HiResBoundingBox where the two agree within a point, and the plates
// of a DCS.
//   errors  bad_image: no "%!", no usable BoundingBox
//   cost    the header; the whole file once if the box is given at the end
Result<ImageInfo> probe_eps(const std::shared_ptr<const MappedFile>& file);

}  // namespace opispool::opi
