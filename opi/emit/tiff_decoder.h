// SPDX-License-Identifier: AGPL-3.0-or-later
// Rows of a TIFF whose strips can't pass to the RIP as they are: tiles, separate planes, 16 bits, codings without a
// PostScript filter. Rows come out interleaved, in picture order; strips and tiles are decoded by all hands at a time.
#pragma once

#include <cstdint>
#include <memory>

#include "base/work_crew.h"
#include "opi/emit/encoders.h"
#include "opi/emit/row_convert.h"
#include "opi/emit/tiff_directory.h"

namespace opispool::opi {

// first_row, rows   the part that is sent; first_row is the first row of a strip or row of tiles
// rgb               true: libtiff converts to RGB (YCbCr, old-style JPEG); `format` then only names the width
// crew              helps whoever reads; may be null      memory  a ring of strips or rows of tiles for each reader
std::shared_ptr<const ByteSupply> make_tiff_rows(std::shared_ptr<const MappedFile> file,
                                                 std::shared_ptr<const TiffDirectory> directory, RowFormat format,
                                                 std::uint32_t first_row, std::uint32_t rows, bool rgb,
                                                 std::shared_ptr<WorkCrew> crew);

}  // namespace opispool::opi
