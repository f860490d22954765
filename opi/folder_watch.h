// SPDX-License-Identifier: AGPL-3.0-or-later
// What the kernel reports about the folders of one store (inotify). Knows folders by the ids of a StoreTree. Private to
// StoreIndex.
//   thread  one at a time; descriptor() any
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/unique_fd.h"
#include "opi/image_index_tree.h"

struct inotify_event;

namespace opispool::opi {

// Whether every change of a file system of this type (statfs f_type) is reported here. It is not where other machines
// change it too; an unknown type is not trusted.
bool reports_changes(std::uint64_t file_system_type);

class FolderWatch {
  public:
    struct Touched {
        StoreTree::Id folder = 0;
        std::string name;
        bool replaced = false;  // it came, went or was moved; else only its content or attributes changed
        auto operator<=>(const Touched&) const = default;
    };
    struct Changes {
        std::vector<Touched> names;  // each at most twice, in no order
        bool lost = false;           // events are missing: only reading the whole store tells
    };

    explicit FolderWatch(std::uint32_t max_watches);

    // Whether nothing that happens escapes; otherwise why. It stays so once it is so.
    bool is_complete() const { return trouble_.empty(); }
    const std::string& trouble() const { return trouble_; }
    // Readable when there are events; -1 without inotify.
    int descriptor() const { return inotify_.get(); }

    // fd  of the folder; closed by the caller
    void add(int fd, StoreTree::Id folder);
    // What was reported up to now, and not what comes meanwhile.
    Changes take();
    // The tree was copied: folders whose new id is no_id are watched no longer, unless add() is called for them before
    // drop_stale().
    void forget_folders();  // as if all were gone
    void renumber(const std::vector<StoreTree::Id>& new_ids);
    void drop_stale();

  private:
    void give_up(std::string trouble);
    void note(const inotify_event& event, const char* name, Changes& changes);

    UniqueFd inotify_;
    std::uint32_t max_watches_;
    std::string trouble_;
    std::unordered_map<int, StoreTree::Id> folders_;  // by watch
    std::vector<int> stale_;                          // watches without a folder
    std::uint64_t device_ = 0;                        // that is known to report
    bool met_twice_ = false;                          // one folder under two names
};

}  // namespace opispool::opi
