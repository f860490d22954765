// SPDX-License-Identifier: AGPL-3.0-or-later
// All names in the stores, read once and kept compactly: one 12-byte record for a file and for a folder, the names in
// one arena, and a sorted table from the hash of the case-folded name to the record. Private to ImageIndex.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "opi/image_index.h"

namespace opispool::opi {

struct StoreRoot {
    std::string path;  // as configured, without trailing slashes
    UniqueFd folder;
};

// openat2(2) that never leaves `folder`: no "..", no absolute or escaping link, no /proc link. Invalid and errno on
// failure.
UniqueFd open_beneath(int folder, const std::string& relative_path, int flags, bool follow_links);

class StoreTree {
  public:
    enum class Kind : std::uint8_t { folder, file, link, other };
    using Id = std::uint32_t;

    // Links are listed but never followed here, so that no ring can trap the walk.
    //   errors  too_large over limits.max_entries; a folder that can't be read is noted in skipped() instead
    static Result<StoreTree> read(const std::vector<StoreRoot>& roots, const IndexLimits& limits);

    // Entries whose case-folded name may be `folded` (by hash: compare the names), in no order.
    std::vector<Id> with_folded_name(std::string_view folded) const;

    Kind kind(Id id) const { return entries_[id].kind; }
    std::size_t store(Id id) const { return entries_[id].store; }
    std::string_view name(Id id) const { return {names_.data() + entries_[id].name_offset, entries_[id].name_bytes}; }
    bool is_root(Id id) const { return entries_[id].name_bytes == 0; }
    Id parent(Id id) const { return entries_[id].parent; }
    std::string relative_path(Id id) const;

    Id size() const { return static_cast<Id>(entries_.size()); }
    std::uint64_t file_count() const { return file_count_; }  // files and links
    // Folders that could not be searched, with the reason, for messages; at most a few are kept.
    const std::vector<std::string>& skipped() const { return skipped_; }
    std::uint64_t skipped_count() const { return skipped_count_; }

  private:
    struct Entry {
        Id parent = 0;
        std::uint32_t name_offset = 0;
        std::uint16_t store = 0;
        std::uint8_t name_bytes = 0;  // NAME_MAX is 255; 0 for a root
        Kind kind = Kind::folder;
    };
    struct Key {
        std::uint64_t hash = 0;
        Id id = 0;
    };
    struct PendingFolder {
        Id id = 0;
        std::uint32_t depth = 0;
    };

    void add(Id parent, std::size_t store, std::string_view name, Kind kind);
    Result<void> read_folder(const StoreRoot& root, PendingFolder folder, const IndexLimits& limits,
                             std::vector<PendingFolder>& pending);
    void note_skipped(const StoreRoot& root, Id folder, std::string_view reason);
    void build_keys();

    std::vector<Entry> entries_;
    std::string names_;
    std::vector<Key> keys_;
    std::uint64_t file_count_ = 0;
    std::uint64_t skipped_count_ = 0;
    std::vector<std::string> skipped_;
};

}  // namespace opispool::opi
