// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/cli/file_output.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace opispool::cli {

namespace {

// The one temporary file with a name, for the signal handler; the command writes one result at a time.
char* volatile doomed_name = nullptr;

extern "C" void remove_temporary_and_die(int signal) {
    if (doomed_name != nullptr) ::unlink(doomed_name);
    std::signal(signal, SIG_DFL);
    ::raise(signal);
}

void doom(const std::string& name) {
    std::free(std::exchange(doomed_name, nullptr));
    if (name.empty()) return;
    doomed_name = ::strdup(name.c_str());
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction old {};
        // A signal the caller chose to ignore (nohup) stays ignored.
        if (::sigaction(signal, nullptr, &old) == 0 && old.sa_handler != SIG_IGN)
            std::signal(signal, remove_temporary_and_die);
    }
}

std::string directory_of(const std::string& path) {
    const auto slash = path.rfind('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

// "DIR/.NAME.XXXXXX" as mkstemp wants it; the name is cut so that the result stays a legal one.
std::string temporary_pattern(const std::string& path) {
    const std::string name = path.substr(path.rfind('/') + 1);
    return directory_of(path) + "/." + name.substr(0, 200) + ".XXXXXX";
}

// mkstemp's mode is 0600; a result is as readable as any file the user makes.
mode_t usual_mode() {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    return 0666 & ~mask;
}

Result<UniqueFd> open_named_temporary(std::string& pattern) {
    UniqueFd fd(::mkostemp(pattern.data(), O_CLOEXEC));
    if (!fd) return fail(error_from_errno(errno, Operation::open, pattern));
    ::fchmod(fd.get(), usual_mode());
    return fd;
}

Result<void> reserve(int fd, std::uint64_t size_bytes, const std::string& path) {
    if (size_bytes == 0) return {};
    // File systems without reservation answer EOPNOTSUPP; then the writes themselves find a full disk.
    if (::fallocate(fd, 0, 0, static_cast<off_t>(size_bytes)) != 0 &&
        (errno == ENOSPC || errno == EDQUOT || errno == EFBIG))
        return fail(error_from_errno(errno, Operation::write, path));
    return {};
}

}  // namespace

Result<void> write_all(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(fd, text.data(), text.size());
        if (written > 0) {
            text.remove_prefix(static_cast<std::size_t>(written));
        } else if (written < 0 && errno == EAGAIN) {
            pollfd ready{fd, POLLOUT, 0};
            ::poll(&ready, 1, -1);
        } else if (written < 0 && errno != EINTR) {
            return fail(error_from_errno(errno, Operation::write, {}));
        }
    }
    return {};
}

Result<OutputFile> OutputFile::create(const std::string& path, std::uint64_t size_bytes) {
    struct stat old {};
    const bool exists = ::stat(path.c_str(), &old) == 0;
    if (exists && S_ISDIR(old.st_mode)) return fail(error_from_errno(EISDIR, Operation::open, path));
    if (exists && !S_ISREG(old.st_mode)) {
        UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
        if (!fd) return fail(error_from_errno(errno, Operation::open, path));
        return OutputFile(std::move(fd), path, {}, true, false);
    }
    std::error_code ignored;
    const std::string target = exists ? std::filesystem::canonical(path, ignored).string() : path;
    if (target.empty()) return fail(Code::io, Operation::open, "the path can't be followed", path);

    std::string temporary;
    UniqueFd fd(::open(directory_of(target).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666));
    if (!fd && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
        temporary = temporary_pattern(target);
        auto named = open_named_temporary(temporary);
        if (!named) return fail(std::move(named.error()));
        fd = std::move(*named);
        doom(temporary);
    } else if (!fd) {
        return fail(error_from_errno(errno, Operation::open, path));
    }
    OutputFile file(std::move(fd), target, std::move(temporary), false, exists);
    if (exists) ::fchmod(file.fd(), old.st_mode & 07777);
    if (auto reserved = reserve(file.fd(), size_bytes, path); !reserved) return fail(std::move(reserved.error()));
    return file;
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : fd_(std::move(other.fd_)),
      path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      in_place_(other.in_place_),
      replaces_(other.replaces_) {}

OutputFile::~OutputFile() {
    if (!temporary_.empty()) {
        ::unlink(temporary_.c_str());
        doom({});
    }
}

// Gives the nameless bytes their name: the final one if it is free, else one beside it that is renamed over the old
// file.
Result<void> OutputFile::link_unnamed() {
    const std::string self = "/proc/self/fd/" + std::to_string(fd_.get());
    if (!replaces_) {
        if (::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, path_.c_str(), AT_SYMLINK_FOLLOW) == 0) return {};
        if (errno != EEXIST) return fail(error_from_errno(errno, Operation::rename, path_));
    }
    std::string name = temporary_pattern(path_);
    {
        // Finds a free name the safe way; the empty file makes room for the link at once.
        auto placeholder = open_named_temporary(name);
        if (!placeholder) return fail(std::move(placeholder.error()));
        ::unlink(name.c_str());
    }
    doom(name);
    if (::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) != 0) {
        const int problem = errno;
        doom({});
        return fail(error_from_errno(problem, Operation::rename, path_));
    }
    temporary_ = name;
    return {};
}

Result<void> OutputFile::commit() {
    if (!in_place_) {
        // The old file is given up only for bytes that are on the disk: a power cut must not take both.
        if (replaces_ && ::fsync(fd_.get()) != 0) return fail(error_from_errno(errno, Operation::sync, path_));
        if (temporary_.empty()) {
            if (auto linked = link_unnamed(); !linked) return linked;
        }
        if (!temporary_.empty()) {
            if (::rename(temporary_.c_str(), path_.c_str()) != 0)
                return fail(error_from_errno(errno, Operation::rename, path_));
            temporary_.clear();
            doom({});
        }
    }
    // Network file systems report a failed write here at the latest.
    if (::close(fd_.release()) != 0 && errno != EINTR) {
        const int problem = errno;
        if (!in_place_ && !replaces_) ::unlink(path_.c_str());
        return fail(error_from_errno(problem, Operation::write, path_));
    }
    return {};
}

Result<UniqueFd> open_unnamed_temporary() {
    const char* chosen = std::getenv("TMPDIR");
    const std::string folder = chosen != nullptr && *chosen != '\0' ? chosen : P_tmpdir;
    UniqueFd fd(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (fd) return fd;
    std::string name = folder + "/opispool.XXXXXX";
    UniqueFd named(::mkostemp(name.data(), O_CLOEXEC));
    if (!named) return fail(error_from_errno(errno, Operation::open, folder));
    ::unlink(name.c_str());
    return named;
}

}  // namespace opispool::cli
