// SPDX-License-Identifier: AGPL-3.0-or-later
// The names in one store, read once and kept true while the process lives: the kernel reports what changes (inotify),
// and whoever asks gets a tree that holds every file that was there when they asked. Where changes are not reported
// (network file systems, too many folders) the store is read anew for everyone who asks.
//
//   job -> current() -> immutable tree, shared by all jobs that asked since the last change
//
//   thread  one at a time; the trees any; path() and descriptor() any
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "opi/folder_watch.h"
#include "opi/image_index.h"
#include "opi/image_index_tree.h"
#include "opi/image_index_walk.h"

namespace opispool::opi {

class StoreIndex {
  public:
    struct State {
        std::uint64_t files = 0;
        std::size_t memory_bytes = 0;
        std::uint64_t readings = 0;  // of the whole store, so far
        std::string trouble;         // why it is read anew every time; empty if it is watched
    };

    explicit StoreIndex(std::string root, IndexLimits limits = {});
    StoreIndex(const StoreIndex&) = delete;
    StoreIndex& operator=(const StoreIndex&) = delete;

    const std::string& path() const { return path_; }

    // The store as it is now or was a little later: what was complete before the call is in it.
    //   errors  not_found, not_permitted naming the root; too_large; the next call tries again
    //   cost    nothing has changed: two system calls. Names have changed: one pass over the tree's memory. The first
    //           call, and after events were lost, reads the whole store
    Result<std::shared_ptr<const StoreTree>> current();
    // Reads the whole store whatever was reported: before a name is said not to be there.
    Result<std::shared_ptr<const StoreTree>> read_again();

    // Readable when something has changed since current(); -1: never.
    int descriptor() const { return watch_.descriptor(); }
    State state() const;

  private:
    using Tree = std::shared_ptr<const StoreTree>;

    bool root_was_replaced() const;
    Result<Tree> read_whole();
    Result<Tree> apply(const std::vector<FolderWatch::Touched>& touched);
    WalkHooks watching();

    const std::string path_;
    const IndexLimits limits_;
    FolderWatch watch_;
    Result<Tree> tree_;      // not_found before the first reading
    bool read_anew_ = true;  // the tree can't be trusted
    std::uint64_t readings_ = 0;
};

}  // namespace opispool::opi
