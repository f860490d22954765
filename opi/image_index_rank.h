// SPDX-License-Identifier: AGPL-3.0-or-later
// Which entries of the stores fit a client's name, and how well. Opens nothing. Private to ImageIndex.
#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "opi/image_index_tree.h"
#include "opi/name_encodings.h"
#include "opi/search_rules.h"

namespace opispool::opi {

// How far an entry's folders agree with the client's, from the file upward and without a gap. Bigger is better.
struct FolderAgreement {
    std::size_t folders = 0;        // agreeing at least without regard to case and normalization form
    bool whole_path = false;        // the client's whole path below its volume is the whole path below the store
    std::size_t exact_folders = 0;  // those of `folders` that are spelled alike
};

struct RankedEntry {
    enum class Place : unsigned char {
        anywhere,     // no map fits the job's name
        mapped,       // where a map says
        outside_map,  // a map fits, but leads elsewhere
    };
    StoreTrees::Id id;
    NameMatch match = NameMatch::none;
    FolderAgreement agreement;
    Place place = Place::anywhere;
    bool all_folders = false;  // every folder that the client names agrees; false if it names none
    bool foreign = false;      // it lies in a folder, the client names some, and none agrees
};

// Entries between which nothing decides.
struct RankedGroup {
    std::vector<RankedEntry> entries;  // in the order of stores and paths
    bool disagree = false;             // the folder speaks for one, the spelling for another
};

// The groups for some spellings of the base name, best first. Folders and special files are among the entries.
std::vector<RankedGroup> rank_candidates(const StoreTrees& tree, const RuledPath& ruled,
                                         const std::vector<std::string>& base_names);

// "spelled alike but for case; 2 of the job's folders agree"
std::string describe(const RankedEntry& entry);

// Base names to look for, one set after the other: literally, without trailing blanks, with `<8E>` groups decoded, as
// file servers for Macs store them, with what Windows clients lose at the end. A layout's original may be of another
// kind: each set then holds the name with every extension of a picture.
std::vector<std::vector<std::string>> base_names_to_try(const RuledPath& ruled);

// Entries whose names an old Mac shortens to `base_name` ("a long nam#1F2E.tif": hexadecimal file number). Nothing if
// it is no such name; at most a few dozen.
struct ShortName {
    std::uint32_t number = 0;
    std::vector<StoreTrees::Id> ids;
};
ShortName entries_of_short_name(const StoreTrees& tree, std::string_view base_name);

// Up to three names that look like `base_name`, for the hint in an error; never used to choose.
std::vector<std::string> similar_names(const StoreTrees& tree, std::string_view base_name);

}  // namespace opispool::opi
