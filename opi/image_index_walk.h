// SPDX-License-Identifier: AGPL-3.0-or-later
// Reads the folders of a store into its tree. Private to ImageIndex and StoreIndex.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"
#include "opi/image_index.h"
#include "opi/image_index_tree.h"

namespace opispool::opi {

//   errors  not_found, not_permitted naming the root
Result<std::shared_ptr<const StoreRoot>> open_store_root(std::string path);

// openat2(2) that never leaves `folder`: no "..", no absolute or escaping link, no /proc link. Invalid and errno on
// failure.
UniqueFd open_beneath(int folder, const std::string& relative_path, int flags, bool follow_links);

// What stands under a name in a folder, links not followed. Nothing if nothing does, or nothing that is searched.
std::optional<StoreTree::Kind> kind_in(int folder, const std::string& name);

struct WalkHooks {
    // Before a folder is read.
    std::function<void(int fd, StoreTree::Id folder)> on_folder;
    // A folder that could not be read for a reason that may pass by itself.
    std::function<void()> on_passing_trouble;
};

// Adds everything beneath `folder`, whose own entry is in the tree and has nothing beneath it yet. Links are listed but
// never followed, so that no ring can trap the walk.
//   errors  too_large over limits.max_entries; a folder that can't be read is noted in skipped() instead
Result<void> read_beneath(StoreTree& tree, StoreTree::Id folder, const IndexLimits& limits,
                          const WalkHooks& hooks = {});

// Adds one name unless the limits are reached.
Result<StoreTree::Id> add_within(StoreTree& tree, StoreTree::Id folder, std::string_view name, StoreTree::Kind kind,
                                 const IndexLimits& limits);

// A whole store.
Result<std::shared_ptr<const StoreTree>> read_store(std::shared_ptr<const StoreRoot> root, const IndexLimits& limits);

}  // namespace opispool::opi
