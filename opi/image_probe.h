// SPDX-License-Identifier: AGPL-3.0-or-later
// Says what a file in the store is by its content, never by its name: kind, size, colour. Reads headers only, no
// pixels.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/mapped_file.h"
#include "base/result.h"

namespace opispool::opi {

enum class ImageKind : std::uint8_t { tiff, jpeg, eps };

struct BoundingBox {
    double llx = 0, lly = 0, urx = 0, ury = 0;
    double width() const { return urx - llx; }
    double height() const { return ury - lly; }
};

struct DcsComments;  // opi/dcs_file.h

struct ImageInfo {
    ImageKind kind = ImageKind::tiff;
    // TIFF and JPEG: pixels as stored, and the EXIF/TIFF orientation 1..8.
    std::uint32_t width_px = 0, height_px = 0;
    int orientation = 1;
    std::string colour;      // of TIFF and JPEG: "bilevel", "gray", "RGB", "Lab", "CMYK", "indexed", "inks"
    bool is_layout = false;  // TIFF tag 351 OPIProxy = 1: a low-resolution layout, never an original
    std::string image_id;    // of a layout: TIFF tag 32781 ImageID, the path of its original; may be empty
    // EPS: where the PostScript lies in the file (DOS EPS header, leading and trailing rubbish cut off) and its box in
    // points.
    std::uint64_t eps_begin_bytes = 0, eps_end_bytes = 0;
    std::optional<BoundingBox> bounding_box;  // HiRes preferred
    std::shared_ptr<const DcsComments> dcs;   // the plates of a separated EPS; null for a plain one
};

//   errors  bad_image (damaged, absurd size, not an image), unsupported (an image of a kind we do not place)
//   thread  any       cost  a few reads of the header
Result<ImageInfo> probe_image(const std::shared_ptr<const MappedFile>& file);

}  // namespace opispool::opi
