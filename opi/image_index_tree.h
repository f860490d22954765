// SPDX-License-Identifier: AGPL-3.0-or-later
// All names in one store, kept compactly: one 12-byte record for a file and for a folder, the names in one arena, and a
// table from the hash of the case-folded name to the record. A tree that is shared is never changed: what is new in a
// store goes into a copy. Private to ImageIndex and StoreIndex.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/unique_fd.h"
#include "opi/image_index.h"

namespace opispool::opi {

struct StoreRoot {
    std::string path;  // as configured, without trailing slashes
    UniqueFd folder;
};

class StoreTree {
  public:
    enum class Kind : std::uint8_t { folder, file, link, other };
    using Id = std::uint32_t;  // a folder's is smaller than that of anything in it; 0 is the root
    static constexpr Id root_id = 0;
    static constexpr Id no_id = UINT32_MAX;

    explicit StoreTree(std::shared_ptr<const StoreRoot> root);

    // Entries whose case-folded name may be `folded` (by hash: compare the names), in no order.
    void add_with_folded_name(std::string_view folded, std::vector<Id>& ids) const;
    std::optional<Id> child(Id folder, std::string_view name) const;

    const StoreRoot& root() const { return *root_; }
    std::shared_ptr<const StoreRoot> shared_root() const { return root_; }
    Kind kind(Id id) const { return entries_[id].kind; }
    std::string_view name(Id id) const { return {names_.data() + entries_[id].name_offset, entries_[id].name_bytes}; }
    Id parent(Id id) const { return entries_[id].parent; }
    std::uint32_t depth(Id id) const;  // folders above it; 0 for the root
    std::string relative_path(Id id) const;

    Id size() const { return static_cast<Id>(entries_.size()); }
    std::uint64_t file_count() const { return file_count_; }  // files and links
    std::size_t names_bytes() const { return names_.size(); }
    std::size_t memory_bytes() const;
    // Folders that could not be searched: at most a few with the reason, for messages, and how many.
    std::vector<std::string> skipped() const;
    std::uint64_t skipped_count() const { return skipped_.size(); }
    bool was_skipped(Id folder) const;

    // For whoever reads the store. After the last add(), index_names() makes the new names findable.
    Id add(Id parent, std::string_view name, Kind kind);
    void note_skipped(Id folder, std::string reason);
    void index_names();
    void shrink();  // gives back memory that only growing needed
    // A copy without the entries marked and what lies beneath them.
    //   new_ids  by old id; no_id: gone
    StoreTree without(std::vector<bool> gone, std::vector<Id>& new_ids) const;

  private:
    struct Entry {
        Id parent = 0;
        std::uint32_t name_offset = 0;
        std::uint8_t name_bytes = 0;  // NAME_MAX is 255; 0 for the root
        Kind kind = Kind::folder;
    };
    struct Key {
        std::uint32_t hash = 0;
        Id id = 0;
    };
    struct Skipped {
        Id folder = 0;
        std::string reason;
    };

    std::size_t bucket_of(std::uint32_t hash) const;

    std::shared_ptr<const StoreRoot> root_;
    std::vector<Entry> entries_;
    std::string names_;
    std::vector<Key> keys_;               // by hash; of the first entries, up to the last index_names()
    std::vector<std::uint32_t> buckets_;  // where in keys_ the hashes of each part of their range begin, and the end
    std::uint64_t file_count_ = 0;
    std::vector<Skipped> skipped_;
};

// Whether two trees hold the same paths of the same kinds, whatever their order.
bool hold_the_same(const StoreTree& a, const StoreTree& b);

// The stores of one queue, in their order.
class StoreTrees {
  public:
    using Kind = StoreTree::Kind;
    struct Id {
        std::uint32_t store = 0;
        StoreTree::Id entry = 0;
        auto operator<=>(const Id&) const = default;
    };

    explicit StoreTrees(std::vector<std::shared_ptr<const StoreTree>> trees) : trees_(std::move(trees)) {}

    std::vector<Id> with_folded_name(std::string_view folded) const;

    std::size_t store_count() const { return trees_.size(); }
    const StoreTree& tree(std::size_t store) const { return *trees_[store]; }
    const StoreRoot& root_of(Id id) const { return tree(id.store).root(); }
    Kind kind(Id id) const { return tree(id.store).kind(id.entry); }
    std::string_view name(Id id) const { return tree(id.store).name(id.entry); }
    bool is_root(Id id) const { return id.entry == StoreTree::root_id; }
    Id parent(Id id) const { return {id.store, tree(id.store).parent(id.entry)}; }
    std::string relative_path(Id id) const { return tree(id.store).relative_path(id.entry); }

    // Calls `look` for at most `most` entries, roots left out, until it answers false.
    void each(std::size_t most, const std::function<bool(Id)>& look) const;
    std::uint64_t file_count() const;
    std::vector<std::string> skipped() const;
    std::uint64_t skipped_count() const;

  private:
    std::vector<std::shared_ptr<const StoreTree>> trees_;
};

}  // namespace opispool::opi
