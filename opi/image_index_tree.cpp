// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/image_index_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <system_error>

#include "base/text.h"
#include "opi/name_encodings.h"

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

constexpr std::size_t skipped_kept = 3;

struct CloseDir {
    void operator()(DIR* folder) const { ::closedir(folder); }
};
using OpenFolder = std::unique_ptr<DIR, CloseDir>;

std::uint64_t hash_of(std::string_view text) {
    return std::hash<std::string_view>{}(text);
}

std::string text_of(int errno_value) {
    return std::generic_category().message(errno_value);
}

StoreTree::Kind kind_of(int folder, const dirent& entry) {
    unsigned char type = entry.d_type;
    if (type == DT_UNKNOWN) {  // some file systems don't say
        struct stat status {};
        if (::fstatat(folder, entry.d_name, &status, AT_SYMLINK_NOFOLLOW) == 0)
            type = static_cast<unsigned char>(IFTODT(status.st_mode));
    }
    if (type == DT_REG) return StoreTree::Kind::file;
    if (type == DT_DIR) return StoreTree::Kind::folder;
    if (type == DT_LNK) return StoreTree::Kind::link;
    return StoreTree::Kind::other;
}

bool is_searched(StoreTree::Kind kind, std::string_view name) {
    if (name == "." || name == "..") return false;
    if (kind != StoreTree::Kind::folder) return !is_no_picture(name);
    return !name.starts_with(".Trash-") &&
           std::find(folders_passed_over.begin(), folders_passed_over.end(), name) == folders_passed_over.end();
}

}  // namespace

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

std::string StoreTree::relative_path(Id id) const {
    std::vector<std::string_view> parts;
    for (; !is_root(id); id = parent(id)) parts.push_back(name(id));
    std::string path;
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
        if (!path.empty()) path += '/';
        path += *part;
    }
    return path;
}

std::vector<StoreTree::Id> StoreTree::with_folded_name(std::string_view folded) const {
    struct ByHash {
        bool operator()(const Key& key, std::uint64_t hash) const { return key.hash < hash; }
        bool operator()(std::uint64_t hash, const Key& key) const { return hash < key.hash; }
    };
    const auto [first, last] = std::equal_range(keys_.begin(), keys_.end(), hash_of(folded), ByHash{});
    std::vector<Id> ids;
    for (auto key = first; key != last; ++key) ids.push_back(key->id);
    return ids;
}

void StoreTree::add(Id parent, std::size_t store, std::string_view name, Kind kind) {
    Entry entry;
    entry.parent = parent;
    entry.name_offset = static_cast<std::uint32_t>(names_.size());
    entry.store = static_cast<std::uint16_t>(store);
    entry.name_bytes = static_cast<std::uint8_t>(name.size());
    entry.kind = kind;
    names_ += name;
    entries_.push_back(entry);
    if (kind == Kind::file || kind == Kind::link) ++file_count_;
}

void StoreTree::note_skipped(const StoreRoot& root, Id folder, std::string_view reason) {
    ++skipped_count_;
    if (skipped_.size() >= skipped_kept) return;
    const std::string path = is_root(folder) ? root.path : root.path + "/" + relative_path(folder);
    skipped_.push_back("'" + printable(path) + "' (" + std::string(reason) + ")");
}

Result<void> StoreTree::read_folder(const StoreRoot& root, PendingFolder folder, const IndexLimits& limits,
                                    std::vector<PendingFolder>& pending) {
    const std::string path = is_root(folder.id) ? "." : relative_path(folder.id);
    UniqueFd fd = open_beneath(root.folder.get(), path, O_RDONLY | O_DIRECTORY, false);
    const OpenFolder listing(fd ? ::fdopendir(fd.get()) : nullptr);
    if (!listing) {
        note_skipped(root, folder.id, text_of(errno));
        return {};
    }
    static_cast<void>(fd.release());  // closedir closes it
    for (;;) {
        errno = 0;
        const dirent* found = ::readdir(listing.get());
        if (found == nullptr) break;
        const std::string_view name(found->d_name);
        const Kind kind = kind_of(::dirfd(listing.get()), *found);
        if (name.size() > 255 || !is_searched(kind, name)) continue;
        if (entries_.size() >= limits.max_entries || names_.size() > UINT32_MAX - 256U)
            return fail(Code::too_large, Operation::resolve,
                        "the stores hold more than " + std::to_string(entries_.size()) +
                            " files and folders, which is the limit; configure smaller stores for this queue",
                        root.path);
        add(folder.id, store(folder.id), name, kind);
        if (kind == Kind::folder) pending.push_back({size() - 1, folder.depth + 1});
    }
    if (errno != 0) note_skipped(root, folder.id, text_of(errno));
    return {};
}

void StoreTree::build_keys() {
    keys_.reserve(entries_.size());
    for (Id id = 0; id < size(); ++id)
        if (!is_root(id)) keys_.push_back({hash_of(case_folded(name(id))), id});
    std::sort(keys_.begin(), keys_.end(), [](const Key& a, const Key& b) { return a.hash < b.hash; });
}

Result<StoreTree> StoreTree::read(const std::vector<StoreRoot>& roots, const IndexLimits& limits) {
    StoreTree tree;
    std::vector<PendingFolder> pending;
    for (std::size_t store = 0; store < roots.size(); ++store) {
        tree.add(tree.size(), store, {}, Kind::folder);
        pending.push_back({tree.size() - 1, 0});
        while (!pending.empty()) {
            const PendingFolder folder = pending.back();
            pending.pop_back();
            if (folder.depth > limits.max_depth) {
                tree.note_skipped(roots[store], folder.id,
                                  "more than " + std::to_string(limits.max_depth) + " folders deep");
                continue;
            }
            if (auto read = tree.read_folder(roots[store], folder, limits, pending); !read)
                return fail(std::move(read.error()));
        }
    }
    tree.entries_.shrink_to_fit();
    tree.names_.shrink_to_fit();
    tree.build_keys();
    return tree;
}

}  // namespace opispool::opi
