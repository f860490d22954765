// SPDX-License-Identifier: AGPL-3.0-or-later
// Which entries of the stores fit a client's name, and how well. Opens nothing. Private to ImageIndex.
#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "opi/image_index.h"
#include "opi/image_index_tree.h"
#include "opi/name_encodings.h"

namespace opispool::opi {

// How far an entry's folders agree with the client's, from the file upward and without a gap. Bigger is better.
struct FolderAgreement {
    std::size_t folders = 0;        // agreeing at least without regard to case and normalization form
    std::size_t exact_folders = 0;  // those of them that are spelled alike
    bool whole_path = false;        // the client's whole path below its volume is the whole path below the store
    auto operator<=>(const FolderAgreement&) const = default;
};

// Entries of equal rank: nothing tells which of them is meant.
struct RankedGroup {
    NameMatch match = NameMatch::none;
    FolderAgreement agreement;
    std::vector<StoreTree::Id> ids;  // in the order of stores and paths
};

// The groups for one spelling of the base name, best first. Folders and special files are among the entries.
std::vector<RankedGroup> rank_candidates(const StoreTree& tree, const ClientPath& path, std::string_view base_name);

// Base names to try one after the other: literally, without trailing blanks, with `<8E>` groups decoded.
std::vector<std::string> base_names_to_try(std::string_view base_name);

// Up to three names that look like `base_name`, for the hint in an error; never used to choose.
std::vector<std::string> similar_names(const StoreTree& tree, std::string_view base_name);

}  // namespace opispool::opi
