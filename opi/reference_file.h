// SPDX-License-Identifier: AGPL-3.0-or-later
// Which file of the stores one OPI block means: the comments' names in their order, layouts passed over.
#pragma once

#include "opi/image_index.h"
#include "opi/opi_comments.h"

namespace opispool::opi {

// The file a block asks for: ImageID, MainImage or the placed file's own ImageID tag where one leads to a file, else
// the file name. A layout (OPIProxy) found in place of its original is passed over; if nothing else is left, the path
// that it carries of its original (ImageID) has its turn. Ids that are no paths lead nowhere: there is no register of
// layouts.
//   errors  those of ImageIndex::find; ambiguous too if the file has the very size that the job saw and a bigger one of
//   its
//           name and shape exists: the smaller may be the layout
//   trace   may be null
Result<FoundImage> find_reference_image(const ImageIndex& index, const OpiComments& comments,
                                        SearchTrace* trace = nullptr);

}  // namespace opispool::opi
