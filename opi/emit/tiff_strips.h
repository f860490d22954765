// SPDX-License-Identifier: AGPL-3.0-or-later
// Which strips of a TIFF a RIP's own filter can read as they lie in the file, and the proof that each holds all its
// rows.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/mapped_file.h"
#include "base/result.h"
#include "opi/emit/encoders.h"
#include "opi/emit/tiff_directory.h"
#include "opi/emit/tiff_model.h"

namespace opispool::opi {

struct RowRange {
    std::uint32_t first = 0, count = 0;
};

struct PassedStrips {
    std::vector<FilePiece> pieces;
    std::string filter;  // see ImageCode::filter
    RowRange rows;       // what the pieces hold: uncompressed data is cut to the row
    int language_level = 2;
};

// rows     to be sent, beginning with the first row of a strip unless the data is uncompressed
//   returns  nothing when the picture has to be decoded on our side
//   errors   bad_image: a strip ends early or is damaged; too_large
//   cost     reads and decodes every compressed strip once, in bounded memory; without profile.prove_pictures LZW,
//            Deflate and CCITT strips are taken to be whole and not read
Result<std::optional<PassedStrips>> pass_strips(const std::shared_ptr<const MappedFile>& file,
                                                const std::shared_ptr<const TiffDirectory>& directory,
                                                const TiffModel& model, RowRange rows, const OutputProfile& profile);

}  // namespace opispool::opi
