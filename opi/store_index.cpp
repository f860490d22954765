// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/store_index.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <utility>

namespace opispool::opi {

StoreIndex::StoreIndex(std::string root, IndexLimits limits)
    : path_(std::move(root)),
      limits_(limits),
      watch_(limits.max_watches),
      tree_(fail(Code::not_found, Operation::open, "the store was not read yet", path_)) {}

Result<StoreIndex::Tree> StoreIndex::current() {
    if (read_anew_ || !tree_ || !watch_.is_complete() || root_was_replaced()) return read_again();
    const FolderWatch::Changes changes = watch_.take();
    if (changes.lost) return read_again();
    if (!changes.names.empty()) tree_ = apply(changes.names);
    return tree_;
}

Result<StoreIndex::Tree> StoreIndex::read_again() {
    return tree_ = read_whole();
}

StoreIndex::State StoreIndex::state() const {
    State state;
    if (tree_) {
        state.files = (*tree_)->file_count();
        state.memory_bytes = (*tree_)->memory_bytes();
    }
    state.readings = readings_;
    state.trouble = watch_.trouble();
    return state;
}

// Somebody mounted the store or renamed its folder: no event tells.
bool StoreIndex::root_was_replaced() const {
    struct stat now {
    }, then{};
    return ::stat(path_.c_str(), &now) != 0 || ::fstat((*tree_)->root().folder.get(), &then) != 0 ||
           now.st_dev != then.st_dev || now.st_ino != then.st_ino;
}

WalkHooks StoreIndex::watching() {
    return {[this](int fd, StoreTree::Id folder) { watch_.add(fd, folder); }, [this] { read_anew_ = true; }};
}

Result<StoreIndex::Tree> StoreIndex::read_whole() {
    ++readings_;
    read_anew_ = false;
    watch_.forget_folders();
    auto tree = [this]() -> Result<Tree> {
        auto root = open_store_root(path_);
        if (!root) return fail(std::move(root.error()));
        auto fresh = std::make_shared<StoreTree>(std::move(*root));
        // Folders are watched before they are read: what comes meanwhile is reported or read, or both.
        auto read = read_beneath(*fresh, StoreTree::root_id, limits_, watching());
        if (!read) return fail(std::move(read.error()));
        fresh->index_names();
        fresh->shrink();
        return Tree(std::move(fresh));
    }();
    if (!tree) watch_.forget_folders();
    watch_.drop_stale();
    return tree;
}

// Events only say where to look; what is there now decides. So it does not matter in which order they came.
Result<StoreIndex::Tree> StoreIndex::apply(const std::vector<FolderWatch::Touched>& touched) {
    const StoreTree& old = **tree_;
    struct Found {
        StoreTree::Id folder = 0;
        std::string name;
        StoreTree::Kind kind = StoreTree::Kind::file;
    };
    std::vector<Found> found;
    std::vector<bool> gone(old.size(), false);
    bool changed = false;
    UniqueFd folder;
    StoreTree::Id opened = StoreTree::no_id;
    for (const FolderWatch::Touched& touch : touched) {
        const auto known = old.child(touch.folder, touch.name);
        // A folder that could not be read may be readable now.
        if (!touch.replaced && !(known && old.kind(*known) == StoreTree::Kind::folder && old.was_skipped(*known)))
            continue;
        if (opened != touch.folder) {
            opened = touch.folder;
            const std::string path = opened == StoreTree::root_id ? "." : old.relative_path(opened);
            folder = open_beneath(old.root().folder.get(), path, O_PATH | O_DIRECTORY, false);
        }
        const auto kind = folder ? kind_in(folder.get(), touch.name) : std::nullopt;
        const bool same_file = known && kind == old.kind(*known) && kind != StoreTree::Kind::folder;
        if (same_file || (!known && !kind)) continue;
        changed = true;
        if (known) gone[*known] = true;
        if (kind && (found.empty() || found.back().folder != touch.folder || found.back().name != touch.name))
            found.push_back({touch.folder, touch.name, *kind});
    }
    if (!changed) return tree_;
    std::vector<StoreTree::Id> new_ids;
    auto tree = std::make_shared<StoreTree>(old.without(std::move(gone), new_ids));
    watch_.renumber(new_ids);
    for (const Found& one : found) {
        // Its own folder came anew as well, and is read as a whole.
        if (new_ids[one.folder] == StoreTree::no_id) continue;
        const auto id = add_within(*tree, new_ids[one.folder], one.name, one.kind, limits_);
        if (!id) return fail(id.error());
        if (one.kind != StoreTree::Kind::folder) continue;
        if (auto read = read_beneath(*tree, *id, limits_, watching()); !read) return fail(std::move(read.error()));
    }
    watch_.drop_stale();
    tree->index_names();
    tree->shrink();
    return Tree(std::move(tree));
}

}  // namespace opispool::opi
