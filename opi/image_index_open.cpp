// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/image_index_open.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <csignal>
#include <utility>

#include "opi/image_index_walk.h"

namespace opispool::opi {

namespace {

std::string joined(const std::string& root, const std::string& relative) {
    return root.ends_with('/') ? root + relative : root + "/" + relative;
}

Opened obstacle(Code code, std::string reason) {
    return {Opened::What::obstacle, std::nullopt, std::move(reason), code};
}

Opened obstacle_of(int errno_value, StoreTree::Kind kind) {
    const bool link = kind == StoreTree::Kind::link;
    switch (errno_value) {
        case EXDEV:
            return obstacle(Code::not_permitted,
                            "is a symbolic link that leads out of the store (as every absolute target)");
        case ELOOP:
            return obstacle(Code::not_permitted, "is a symbolic link that leads in a ring");
        case ENOENT:
        case ENOTDIR:
            return obstacle(Code::not_found,
                            link ? "is a dangling symbolic link" : "has vanished since the stores were read");
        case EACCES:
            return obstacle(Code::not_permitted, "can't be read (permission denied)");
        default: {
            Error error = error_from_errno(errno_value, Operation::open, {});
            return obstacle(error.code, "can't be opened (" + error.text + ")");
        }
    }
}

// A picture that somebody is saving would print in part. The kernel refuses a read lease while a file is open for
// writing; where it can't tell (another owner's file, a network file system) the answer is no. Whoever opens the file
// in the moment of the lease waits for its end, and we are told by a signal that does nothing unless asked for.
bool is_open_for_writing(int fd) {
    if (::fcntl(fd, F_SETSIG, SIGURG) != 0) return false;
    if (::fcntl(fd, F_SETLEASE, F_RDLCK) != 0) return errno == EAGAIN;
    ::fcntl(fd, F_SETLEASE, F_UNLCK);
    return false;
}

}  // namespace

Opened open_entry(const StoreTrees& tree, StoreTrees::Id id, std::int64_t settled_before_ms) {
    const StoreTree::Kind kind = tree.kind(id);
    if (kind == StoreTree::Kind::folder) return {Opened::What::folder, {}, {}, {}};
    if (kind == StoreTree::Kind::other) return {Opened::What::special, {}, {}, {}};
    const StoreRoot& root = tree.root_of(id);
    const std::string relative = tree.relative_path(id);
    // O_NONBLOCK: a fifo behind a link must not stop us.
    UniqueFd fd = open_beneath(root.folder.get(), relative, O_RDONLY | O_NONBLOCK | O_NOCTTY, true);
    if (!fd) return obstacle_of(errno, kind);
    struct stat status {};
    if (::fstat(fd.get(), &status) != 0) return obstacle_of(errno, kind);
    if (S_ISDIR(status.st_mode)) return {Opened::What::folder, {}, {}, {}};
    if (!S_ISREG(status.st_mode)) return {Opened::What::special, {}, {}, {}};
    if (is_open_for_writing(fd.get())) return obstacle(Code::changed, "is still being written");
    const std::int64_t changed_ms = status.st_mtim.tv_sec * std::int64_t{1000} + status.st_mtim.tv_nsec / 1'000'000;
    if (settled_before_ms != 0 && changed_ms > settled_before_ms)
        return obstacle(Code::changed, "was changed a moment ago and may still be being written");
    FoundImage image;
    image.path = joined(root.path, relative);
    auto file = MappedFile::adopt(std::move(fd), image.path);
    if (!file) return obstacle(file.error().code, "can't be opened (" + file.error().text + ")");
    image.file = std::move(*file);
    return {Opened::What::file, std::move(image), {}, {}};
}

}  // namespace opispool::opi
