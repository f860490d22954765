// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/folder_watch.h"

#include <linux/magic.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace opispool::opi {

namespace {

constexpr std::uint32_t watched_events = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_CLOSE_WRITE |
                                         IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_EXCL_UNLINK;

std::string text_of(int errno_value) {
    return std::generic_category().message(errno_value);
}

std::string limit_text(std::size_t watched) {
    return "no more than " + std::to_string(watched) +
           " folders can be watched; raise fs.inotify.max_user_watches (sysctl) and restart";
}

}  // namespace

bool reports_changes(std::uint64_t file_system_type) {
    constexpr std::uint64_t xfs = 0x58465342, zfs = 0x2FC12FC1, jfs = 0x3153464A, exfat = 0x2011BAB0,
                            bcachefs = 0xCA451A4E;
    constexpr std::array<std::uint64_t, 12> local = {
        EXT4_SUPER_MAGIC, xfs, BTRFS_SUPER_MAGIC, zfs,   TMPFS_MAGIC, OVERLAYFS_SUPER_MAGIC,
        F2FS_SUPER_MAGIC, jfs, MSDOS_SUPER_MAGIC, exfat, bcachefs,    REISERFS_SUPER_MAGIC};
    return std::find(local.begin(), local.end(), file_system_type) != local.end();
}

FolderWatch::FolderWatch(std::uint32_t max_watches)
    : inotify_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)), max_watches_(max_watches) {
    if (!inotify_) trouble_ = "folders can't be watched (" + text_of(errno) + ")";
}

// Watches that don't see everything only take from what other programs may have.
void FolderWatch::give_up(std::string trouble) {
    trouble_ = std::move(trouble);
    for (const auto& [watch, folder] : folders_) ::inotify_rm_watch(inotify_.get(), watch);
    for (const int watch : stale_) ::inotify_rm_watch(inotify_.get(), watch);
    folders_.clear();
    stale_.clear();
}

void FolderWatch::add(int fd, StoreTree::Id folder) {
    if (!is_complete()) return;
    struct stat status {};
    struct statfs system {};
    if (::fstat(fd, &status) != 0) return give_up("a folder can't be looked at (" + text_of(errno) + ")");
    if (device_ == 0 || status.st_dev != device_) {
        if (::fstatfs(fd, &system) != 0) return give_up("a folder can't be looked at (" + text_of(errno) + ")");
        if (!reports_changes(static_cast<std::uint64_t>(system.f_type)))
            return give_up("its file system does not report what other machines change in it");
        device_ = status.st_dev;
    }
    if (folders_.size() >= max_watches_) return give_up(limit_text(folders_.size()));
    // By its open descriptor: a path might lead elsewhere by now.
    const int watch =
        ::inotify_add_watch(inotify_.get(), ("/proc/self/fd/" + std::to_string(fd)).c_str(), watched_events);
    if (watch < 0)
        return give_up(errno == ENOSPC ? limit_text(folders_.size())
                                       : "a folder can't be watched (" + text_of(errno) + ")");
    // It was moved between two looks, or is mounted in two places: one of them would hear nothing.
    if (!folders_.insert_or_assign(watch, folder).second) met_twice_ = true;
}

void FolderWatch::note(const inotify_event& event, const char* name, Changes& changes) {
    constexpr std::uint32_t whole_root = IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED;
    constexpr std::uint32_t replaced = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO;
    if ((event.mask & (IN_Q_OVERFLOW | IN_UNMOUNT)) != 0) changes.lost = true;
    const auto known = folders_.find(event.wd);
    if (known == folders_.end()) return;
    const StoreTree::Id folder = known->second;
    if (event.len > 0) changes.names.push_back({folder, name, (event.mask & replaced) != 0});
    if (folder == StoreTree::root_id && (event.mask & whole_root) != 0) changes.lost = true;
    if ((event.mask & IN_IGNORED) != 0) folders_.erase(known);
}

FolderWatch::Changes FolderWatch::take() {
    Changes changes;
    changes.lost = std::exchange(met_twice_, false);
    int pending_bytes = 0;
    if (!is_complete() || ::ioctl(inotify_.get(), FIONREAD, &pending_bytes) != 0) return changes;
    alignas(inotify_event) std::array<char, 65536> buffer;
    while (pending_bytes > 0) {
        const ssize_t got = ::read(inotify_.get(), buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        pending_bytes -= static_cast<int>(got);
        for (std::size_t at = 0; at < static_cast<std::size_t>(got);) {
            inotify_event event{};
            std::memcpy(&event, buffer.data() + at, sizeof event);
            note(event, buffer.data() + at + sizeof event, changes);
            at += sizeof event + event.len;
        }
        std::sort(changes.names.begin(), changes.names.end());
        changes.names.erase(std::unique(changes.names.begin(), changes.names.end()), changes.names.end());
    }
    return changes;
}

void FolderWatch::renumber(const std::vector<StoreTree::Id>& new_ids) {
    for (auto at = folders_.begin(); at != folders_.end();) {
        at->second = new_ids[at->second];
        if (at->second == StoreTree::no_id) {
            stale_.push_back(at->first);
            at = folders_.erase(at);
        } else {
            ++at;
        }
    }
}

void FolderWatch::forget_folders() {
    for (const auto& [watch, folder] : folders_) stale_.push_back(watch);
    folders_.clear();
}

void FolderWatch::drop_stale() {
    for (const int watch : stale_)
        if (folders_.find(watch) == folders_.end()) ::inotify_rm_watch(inotify_.get(), watch);
    stale_.clear();
}

}  // namespace opispool::opi
