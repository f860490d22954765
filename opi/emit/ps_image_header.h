// SPDX-License-Identifier: AGPL-3.0-or-later
// The PostScript around a picture's data: private dictionary, placement, one `image` over chained strip filters, and
// the exact
// %%BeginData count (ref 6.1). One image, not one for each strip: no hairlines between strips when it is turned.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "opi/emit/encoders.h"
#include "opi/image_request.h"
#include "opi/splice_plan.h"

namespace opispool::opi {

struct ImageCode {
    std::uint32_t width_px = 0;
    std::uint32_t height_px = 0;  // rows that are sent
    std::string image_matrix;     // "[W 0 0 -H 0 H]"
    std::uint16_t bits = 8;
    std::string setup;  // colour space or colour; whole lines
    std::string decode;
    bool mask = false;
    std::optional<bool> overprint;
    // What follows the fenced strip on the stack: "/LZWDecode filter", "<< ... >> /DCTDecode filter", or nothing. It
    // may use oLast, true for the last strip.
    std::string filter;
};

// Where the data comes from: strips that pass as they are, or bytes made here: decoded rows, a JPEG of one scan.
struct ImageData {
    std::shared_ptr<const MappedFile> file;
    std::vector<FilePiece> pieces;
    std::shared_ptr<const ByteSupply> rows;  // used when `pieces` is empty
};

// Whether the pieces can be announced to a RIP: strips below 2 GB, no more of them than an array holds.
bool pieces_fit(const std::vector<FilePiece>& pieces, bool filtered);

// ImageMatrix for a stored size and an orientation; first_row is the stored row that the data begins with (orientation
// 1 only).
std::string image_matrix(std::uint32_t width_px, std::uint32_t height_px, int orientation, std::uint32_t first_row = 0);

// Knocks the picture's area out of a plate that has none of its inks; nothing when it overprints.
void append_paper(PlanBuilder& builder, const RasterPlacement& placement, const ColourRequest& colour);

void append_image(PlanBuilder& builder, const ImageCode& code, const ImageData& data, const RasterPlacement& placement,
                  ChannelEncoding encoding);

}  // namespace opispool::opi
