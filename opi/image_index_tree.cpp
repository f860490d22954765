// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/image_index_tree.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/text.h"
#include "opi/name_encodings.h"

namespace opispool::opi {

namespace {

constexpr std::size_t skipped_kept = 3;

// Names that hash alike, and buckets that are about as many as names, keep a look-up as long in a million names as in a
// thousand.
constexpr std::size_t names_per_bucket = 4;

std::uint32_t hash_of(std::string_view text) {
    return static_cast<std::uint32_t>(std::hash<std::string_view>{}(text) >> 32U);
}

std::uint64_t mixed(std::uint64_t value) {
    value = (value ^ (value >> 31U)) * 0x7fb5d329728ea185U;
    value = (value ^ (value >> 27U)) * 0x81dadef4bc2dd44dU;
    return value ^ (value >> 33U);
}

// Of the paths and kinds, in any order.
std::uint64_t digest_of(const StoreTree& tree) {
    std::vector<std::uint64_t> paths(tree.size(), 0);
    std::uint64_t digest = 0;
    for (StoreTree::Id id = 1; id < tree.size(); ++id) {
        const std::uint64_t name = std::hash<std::string_view>{}(tree.name(id));
        paths[id] = mixed(mixed(paths[tree.parent(id)] + 1) ^ name ^ static_cast<std::uint64_t>(tree.kind(id)));
        digest += paths[id];
    }
    return digest;
}

}  // namespace

StoreTree::StoreTree(std::shared_ptr<const StoreRoot> root) : root_(std::move(root)) {
    add(root_id, {}, Kind::folder);
}

std::uint32_t StoreTree::depth(Id id) const {
    std::uint32_t depth = 0;
    for (; id != root_id; id = parent(id)) ++depth;
    return depth;
}

std::string StoreTree::relative_path(Id id) const {
    std::vector<std::string_view> parts;
    for (; id != root_id; id = parent(id)) parts.push_back(name(id));
    std::string path;
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
        if (!path.empty()) path += '/';
        path += *part;
    }
    return path;
}

std::size_t StoreTree::memory_bytes() const {
    return sizeof *this + entries_.capacity() * sizeof(Entry) + names_.capacity() + keys_.capacity() * sizeof(Key) +
           buckets_.capacity() * sizeof(std::uint32_t);
}

std::size_t StoreTree::bucket_of(std::uint32_t hash) const {
    // As many as fill a power of two: the first bits of the hash.
    return hash >> (33U - static_cast<unsigned>(std::bit_width(buckets_.size() - 1)));
}

void StoreTree::add_with_folded_name(std::string_view folded, std::vector<Id>& ids) const {
    if (keys_.empty()) return;
    const std::uint32_t hash = hash_of(folded);
    const std::size_t bucket = bucket_of(hash);
    for (std::size_t i = buckets_[bucket]; i < buckets_[bucket + 1]; ++i)
        if (keys_[i].hash == hash) ids.push_back(keys_[i].id);
}

std::optional<StoreTree::Id> StoreTree::child(Id folder, std::string_view name) const {
    std::vector<Id> ids;
    add_with_folded_name(case_folded(name), ids);
    for (const Id id : ids)
        if (parent(id) == folder && this->name(id) == name) return id;
    return std::nullopt;
}

StoreTree::Id StoreTree::add(Id parent, std::string_view name, Kind kind) {
    Entry entry;
    entry.parent = parent;
    entry.name_offset = static_cast<std::uint32_t>(names_.size());
    entry.name_bytes = static_cast<std::uint8_t>(name.size());
    entry.kind = kind;
    names_ += name;
    entries_.push_back(entry);
    if (kind == Kind::file || kind == Kind::link) ++file_count_;
    return size() - 1;
}

void StoreTree::note_skipped(Id folder, std::string reason) {
    skipped_.push_back({folder, std::move(reason)});
}

std::vector<std::string> StoreTree::skipped() const {
    std::vector<std::string> texts;
    for (const Skipped& one : skipped_) {
        if (texts.size() == skipped_kept) break;
        const std::string path = one.folder == root_id ? root_->path : root_->path + "/" + relative_path(one.folder);
        texts.push_back("'" + printable(path) + "' (" + one.reason + ")");
    }
    return texts;
}

bool StoreTree::was_skipped(Id folder) const {
    return std::any_of(skipped_.begin(), skipped_.end(), [folder](const Skipped& one) { return one.folder == folder; });
}

void StoreTree::index_names() {
    const auto by_hash = [](const Key& a, const Key& b) { return a.hash < b.hash; };
    const std::size_t known = keys_.size();
    keys_.reserve(entries_.size() - 1);
    // Every entry but the root has a key, and they come in the order of the entries.
    for (Id id = static_cast<Id>(known + 1); id < size(); ++id) keys_.push_back({hash_of(case_folded(name(id))), id});
    const auto middle = keys_.begin() + static_cast<std::ptrdiff_t>(known);
    std::sort(middle, keys_.end(), by_hash);
    std::inplace_merge(keys_.begin(), middle, keys_.end(), by_hash);
    buckets_.assign(std::bit_ceil(std::max<std::size_t>(keys_.size() / names_per_bucket, 2)) + 1, 0);
    for (const Key& key : keys_) ++buckets_[bucket_of(key.hash) + 1];
    for (std::size_t i = 1; i < buckets_.size(); ++i) buckets_[i] += buckets_[i - 1];
}

void StoreTree::shrink() {
    entries_.shrink_to_fit();
    names_.shrink_to_fit();
}

StoreTree StoreTree::without(std::vector<bool> gone, std::vector<Id>& new_ids) const {
    StoreTree copy(root_);
    copy.entries_.reserve(entries_.size());
    copy.names_.reserve(names_.size());
    new_ids.assign(entries_.size(), no_id);
    new_ids[root_id] = root_id;
    for (Id id = 1; id < size(); ++id) {
        const Entry& entry = entries_[id];
        if (!gone[id] && !gone[entry.parent]) new_ids[id] = copy.add(new_ids[entry.parent], name(id), entry.kind);
        if (gone[entry.parent]) gone[id] = true;
    }
    copy.keys_.reserve(keys_.size());
    for (const Key& key : keys_)
        if (new_ids[key.id] != no_id) copy.keys_.push_back({key.hash, new_ids[key.id]});
    for (const Skipped& one : skipped_)
        if (new_ids[one.folder] != no_id) copy.skipped_.push_back({new_ids[one.folder], one.reason});
    return copy;
}

bool hold_the_same(const StoreTree& a, const StoreTree& b) {
    return a.size() == b.size() && a.skipped_count() == b.skipped_count() && digest_of(a) == digest_of(b);
}

std::vector<StoreTrees::Id> StoreTrees::with_folded_name(std::string_view folded) const {
    std::vector<Id> ids;
    std::vector<StoreTree::Id> entries;
    for (std::uint32_t store = 0; store < trees_.size(); ++store) {
        entries.clear();
        trees_[store]->add_with_folded_name(folded, entries);
        for (const StoreTree::Id entry : entries) ids.push_back({store, entry});
    }
    return ids;
}

void StoreTrees::each(std::size_t most, const std::function<bool(Id)>& look) const {
    for (std::uint32_t store = 0; store < trees_.size(); ++store) {
        for (StoreTree::Id entry = 1; entry < trees_[store]->size(); ++entry) {
            if (most == 0) return;
            --most;
            if (!look({store, entry})) return;
        }
    }
}

std::uint64_t StoreTrees::file_count() const {
    std::uint64_t count = 0;
    for (const auto& tree : trees_) count += tree->file_count();
    return count;
}

std::vector<std::string> StoreTrees::skipped() const {
    std::vector<std::string> texts;
    for (const auto& tree : trees_)
        for (std::string& text : tree->skipped())
            if (texts.size() < skipped_kept) texts.push_back(std::move(text));
    return texts;
}

std::uint64_t StoreTrees::skipped_count() const {
    std::uint64_t count = 0;
    for (const auto& tree : trees_) count += tree->skipped_count();
    return count;
}

}  // namespace opispool::opi
