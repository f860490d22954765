// SPDX-License-Identifier: AGPL-3.0-or-later
// Opens one entry of the stores, beneath its root and nowhere else. Private to ImageIndex.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "opi/image_index.h"
#include "opi/image_index_tree.h"

namespace opispool::opi {

// What opening one entry came to.
struct Opened {
    enum class What { file, folder, special, obstacle };
    What what = What::obstacle;
    std::optional<FoundImage> image;  // file
    std::string reason;               // obstacle: reads well after "'PATH' "
    Code code = Code::io;             // obstacle; changed: somebody is still writing it
};

//   settled_before_ms  SearchRules'
Opened open_entry(const StoreTrees& tree, StoreTrees::Id id, std::int64_t settled_before_ms);

}  // namespace opispool::opi
