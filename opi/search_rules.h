// SPDX-License-Identifier: AGPL-3.0-or-later
// How one queue reads its clients' names: which folder of which store stands for a client's volume, share or mount
// point, and what a layout (low-resolution stand-in) is called. Pure.
//   source  ref 8.3 (what OPI servers of the field do), 8.4 steps 2 and 3
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "opi/client_path.h"

namespace opispool::opi {

// Clients' names that begin with `prefix` mean files in exactly this folder and those beneath it.
struct PrefixMap {
    std::string prefix;     // as clients write it: "Mac HD:Jobs:", "P:\", "\\srv\share\", "/Volumes/Jobs/"
    std::size_t store = 0;  // index of the store
    std::string folder;     // beneath the store's root, "a/b"; empty: the root
};

// What becomes of a file whose folders agree with none that the job names.
enum class ForeignFolders : std::uint8_t { warn, hold };

struct SearchRules {
    std::vector<PrefixMap> maps;  // the longest that fits counts; case is ignored unless two differ in it only
    std::vector<std::string> layout_folders;   // `.../layouts/NAME` is the layout of `.../NAME`
    std::vector<std::string> layout_suffixes;  // `NAME.lay` is the layout of `NAME`; with their dot
    ForeignFolders foreign_folders = ForeignFolders::warn;
    // Files changed after this (Unix time) count as still being written; 0: only the kernel is asked.
    std::int64_t settled_before_ms = 0;
};

//   errors  bad_syntax: no volume, drive, share or folder, or it does not end in a separator
Result<void> check_map_prefix(std::string_view prefix);
// "jobs/1998/" -> "jobs/1998"; "" and "." -> "".      errors  bad_syntax: absolute, or climbs out
Result<std::string> parse_map_folder(std::string_view folder);

// Where a map says the file is.
struct MappedPlace {
    std::size_t map = 0;  // index in SearchRules::maps
    std::size_t store = 0;
    std::vector<std::string> store_folders;   // of the map, outermost first, spelled as in the store
    std::vector<std::string> client_folders;  // below the prefix, raw bytes of the comment
};

struct RuledPath {
    ClientPath path;                  // the layout's folder and suffix taken away
    std::vector<MappedPlace> places;  // the file is in one of these and nowhere else; empty: no map fits
    bool names_layout = false;        // a layout rule took something away
};

RuledPath apply_rules(const SearchRules& rules, ClientPath path);

// Whether a name of the store is that of a layout, or of a folder of layouts.
bool is_layout_folder(const SearchRules& rules, std::string_view folder_name);
bool has_layout_suffix(const SearchRules& rules, std::string_view file_name);

}  // namespace opispool::opi
