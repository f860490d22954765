// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/image_index_walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

#include "base/text.h"

namespace opispool::opi {

namespace {

// Folders that hold other things under the very names of pictures: resource forks of Mac file servers, what was thrown
// away, earlier states, thumbnails.
constexpr std::array<std::string_view, 18> folders_passed_over = {".AppleDouble",    ".HSResource",
                                                                  ".rsrc",           "RESOURCE.FRK",
                                                                  ".AppleDesktop",   ".AppleDB",
                                                                  ".Trashes",        "Network Trash Folder",
                                                                  ".TemporaryItems", "Temporary Items",
                                                                  "$RECYCLE.BIN",    "RECYCLER",
                                                                  ".recycle",        "System Volume Information",
                                                                  ".snapshot",       ".zfs",
                                                                  "@eaDir",          "lost+found"};

// Files that are no pictures whatever their names are, and files on their way: AppleDouble halves, icons, catalogues,
// uploads and backups.
bool is_no_picture(std::string_view name) {
    static constexpr std::array<std::string_view, 5> names = {".DS_Store", "Icon\r", "Thumbs.db", "desktop.ini",
                                                              ".apdisk"};
    static constexpr std::array<std::string_view, 5> endings = {"~", ".part", ".filepart", ".crdownload", ".tmp"};
    return name.starts_with("._") || name.starts_with("~$") ||
           std::any_of(names.begin(), names.end(), [&](auto known) { return equals_ignoring_case(name, known); }) ||
           std::any_of(endings.begin(), endings.end(), [&](std::string_view ending) {
               return name.size() > ending.size() &&
                      equals_ignoring_case(name.substr(name.size() - ending.size()), ending);
           });
}

struct CloseDir {
    void operator()(DIR* folder) const { ::closedir(folder); }
};
using OpenFolder = std::unique_ptr<DIR, CloseDir>;

struct PendingFolder {
    StoreTree::Id id = 0;
    std::uint32_t depth = 0;
};

StoreTree::Kind kind_of(unsigned type) {
    if (type == DT_REG) return StoreTree::Kind::file;
    if (type == DT_DIR) return StoreTree::Kind::folder;
    if (type == DT_LNK) return StoreTree::Kind::link;
    return StoreTree::Kind::other;
}

// Nothing if it is gone.
std::optional<StoreTree::Kind> kind_by_stat(int folder, const char* name) {
    struct stat status {};
    if (::fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
    return kind_of(IFTODT(status.st_mode));
}

bool is_searched(StoreTree::Kind kind, std::string_view name) {
    if (name == "." || name == ".." || name.size() > 255) return false;
    if (kind != StoreTree::Kind::folder) return !is_no_picture(name);
    return !name.starts_with(".Trash-") &&
           std::find(folders_passed_over.begin(), folders_passed_over.end(), name) == folders_passed_over.end();
}

// One walk beneath one folder.
class Walk {
  public:
    Walk(StoreTree& tree, const IndexLimits& limits, const WalkHooks& hooks)
        : tree_(tree), limits_(limits), hooks_(hooks) {}

    Result<void> run(StoreTree::Id folder) {
        pending_.push_back({folder, tree_.depth(folder)});
        while (!pending_.empty()) {
            const PendingFolder next = pending_.back();
            pending_.pop_back();
            if (next.depth > limits_.max_depth)
                tree_.note_skipped(next.id, "more than " + std::to_string(limits_.max_depth) + " folders deep");
            else if (auto read = read_folder(next); !read)
                return read;
        }
        return {};
    }

  private:
    Result<void> read_folder(PendingFolder folder);
    void skip(StoreTree::Id folder, int errno_value);

    StoreTree& tree_;
    const IndexLimits& limits_;
    const WalkHooks& hooks_;
    std::vector<PendingFolder> pending_;
};

// One that is not permitted or gone stays so until its folder reports a change.
void Walk::skip(StoreTree::Id folder, int errno_value) {
    tree_.note_skipped(folder, std::generic_category().message(errno_value));
    const bool lasts = errno_value == EACCES || errno_value == EPERM || errno_value == ENOENT || errno_value == ENOTDIR;
    if (!lasts && hooks_.on_passing_trouble) hooks_.on_passing_trouble();
}

Result<void> Walk::read_folder(PendingFolder folder) {
    const std::string path = folder.id == StoreTree::root_id ? "." : tree_.relative_path(folder.id);
    UniqueFd fd = open_beneath(tree_.root().folder.get(), path, O_RDONLY | O_DIRECTORY, false);
    if (fd && hooks_.on_folder) hooks_.on_folder(fd.get(), folder.id);
    const OpenFolder listing(fd ? ::fdopendir(fd.get()) : nullptr);
    if (!listing) {
        skip(folder.id, errno);
        return {};
    }
    static_cast<void>(fd.release());  // closedir closes it
    for (;;) {
        errno = 0;
        const dirent* found = ::readdir(listing.get());
        if (found == nullptr) break;
        // Some file systems don't say what it is.
        const auto kind = found->d_type == DT_UNKNOWN ? kind_by_stat(::dirfd(listing.get()), found->d_name)
                                                      : std::optional(kind_of(found->d_type));
        if (!kind || !is_searched(*kind, found->d_name)) continue;
        const auto id = add_within(tree_, folder.id, found->d_name, *kind, limits_);
        if (!id) return fail(id.error());
        if (*kind == StoreTree::Kind::folder) pending_.push_back({*id, folder.depth + 1});
    }
    if (errno != 0) skip(folder.id, errno);
    return {};
}

}  // namespace

Result<std::shared_ptr<const StoreRoot>> open_store_root(std::string path) {
    UniqueFd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder && errno == ENOTDIR)
        return fail(Code::not_found, Operation::open, "the store is not a folder", std::move(path));
    if (!folder) return fail(error_from_errno(errno, Operation::open, std::move(path)));
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    return std::make_shared<const StoreRoot>(StoreRoot{std::move(path), std::move(folder)});
}

UniqueFd open_beneath(int folder, const std::string& relative_path, int flags, bool follow_links) {
    open_how how{};
    how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
    if (!follow_links) how.resolve |= RESOLVE_NO_SYMLINKS;
    // EAGAIN: something was renamed while the kernel looked, and it can't tell whether ".." stayed beneath.
    for (int attempt = 0;; ++attempt) {
        const long fd = ::syscall(SYS_openat2, folder, relative_path.c_str(), &how, sizeof how);
        if (fd >= 0) return UniqueFd(static_cast<int>(fd));
        if (errno != EINTR && (errno != EAGAIN || attempt == 100)) return {};
    }
}

std::optional<StoreTree::Kind> kind_in(int folder, const std::string& name) {
    const auto kind = kind_by_stat(folder, name.c_str());
    return kind && is_searched(*kind, name) ? kind : std::nullopt;
}

Result<void> read_beneath(StoreTree& tree, StoreTree::Id folder, const IndexLimits& limits, const WalkHooks& hooks) {
    return Walk(tree, limits, hooks).run(folder);
}

Result<StoreTree::Id> add_within(StoreTree& tree, StoreTree::Id folder, std::string_view name, StoreTree::Kind kind,
                                 const IndexLimits& limits) {
    if (tree.size() >= limits.max_entries || tree.names_bytes() > UINT32_MAX - 256U)
        return fail(Code::too_large, Operation::resolve,
                    "the store holds more than " + std::to_string(tree.size()) +
                        " files and folders, which is the limit; configure smaller stores for this queue",
                    tree.root().path);
    return tree.add(folder, name, kind);
}

Result<std::shared_ptr<const StoreTree>> read_store(std::shared_ptr<const StoreRoot> root, const IndexLimits& limits) {
    auto tree = std::make_shared<StoreTree>(std::move(root));
    if (auto read = read_beneath(*tree, StoreTree::root_id, limits); !read) return fail(std::move(read.error()));
    tree->index_names();
    tree->shrink();
    return std::shared_ptr<const StoreTree>(std::move(tree));
}

}  // namespace opispool::opi
