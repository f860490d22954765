// SPDX-License-Identifier: AGPL-3.0-or-later
// Which file of the stores one OPI block means: the comments' names in their order, layouts passed over.
#pragma once

#include "opi/image_index.h"
#include "opi/opi_comments.h"

namespace opispool::opi {

// The file a block asks for: ImageID or MainImage where it leads to a file, else the file name. A layout (OPIProxy)
// found in place of its original is passed over.
//   errors  those of ImageIndex::find
Result<FoundImage> find_reference_image(const ImageIndex& index, const OpiComments& comments);

}  // namespace opispool::opi
