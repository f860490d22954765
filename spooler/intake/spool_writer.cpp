// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/intake/spool_writer.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/text.h"
#include "spooler/workers.h"

namespace opispool::spooler {

namespace {

// Unique in this spool: time of the first call, then a counter. The lock keeps other processes out.
std::string next_name() {
    static const auto start = std::chrono::system_clock::now().time_since_epoch();
    static std::atomic<std::uint64_t> counter{0};
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(start).count();
    return std::to_string(ms) + "-" + std::to_string(++counter) + ".job";
}

bool is_our_name(std::string_view name) {
    if (name.size() < 5 || !name.ends_with(".job")) return false;
    return name.substr(0, name.size() - 4).find_first_not_of("0123456789-") == std::string_view::npos;
}

Result<void> make_folder(const std::string& path) {
    if (::mkdir(path.c_str(), 0750) == 0 || errno == EEXIST) return {};
    return fail(error_from_errno(errno, Operation::open, path));
}

Result<UniqueFd> open_folder(const std::string& path) {
    UniqueFd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd) return fail(error_from_errno(errno, Operation::open, path));
    return fd;
}

Result<UniqueFd> lock_folder(const std::string& directory) {
    const std::string path = directory + "/lock";
    UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0640));
    if (!fd) return fail(error_from_errno(errno, Operation::open, path));
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK) return fail(error_from_errno(errno, Operation::open, path));
        return fail(Code::conflict, Operation::open,
                    "another opispoold uses this spool; stop it or choose another folder", directory);
    }
    return fd;
}

Result<void> write_all(int fd, std::span<const std::byte> bytes, const std::string& path) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(fd, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return fail(error_from_errno(errno, Operation::write, path));
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return {};
}

Result<void> sync_fd(int fd, const std::string& path) {
    if (::fsync(fd) != 0) return fail(error_from_errno(errno, Operation::sync, path));
    return {};
}

}  // namespace

Result<Spool> Spool::open(const std::string& directory, std::uint64_t min_free_bytes) {
    Spool spool;
    spool.directory_ = directory;
    spool.tmp_ = directory + "/tmp";
    spool.jobs_ = directory + "/jobs";
    spool.min_free_bytes_ = min_free_bytes;
    std::error_code error;
    std::filesystem::create_directories(directory, error);
    if (error) return fail(error_from_errno(error.value(), Operation::open, directory));
    auto lock = lock_folder(directory);
    if (!lock) return fail(lock.error());
    spool.lock_ = std::move(*lock);
    for (const std::string& path : {spool.tmp_, spool.jobs_}) {
        if (auto made = make_folder(path); !made) return fail(made.error());
    }
    auto tmp = open_folder(spool.tmp_);
    if (!tmp) return fail(tmp.error());
    auto jobs = open_folder(spool.jobs_);
    if (!jobs) return fail(jobs.error());
    spool.tmp_fd_ = std::move(*tmp);
    spool.jobs_fd_ = std::move(*jobs);
    // The folders' own names must survive a power failure as well.
    auto top = open_folder(directory);
    if (!top) return fail(top.error());
    if (auto synced = sync_fd(top->get(), directory); !synced) return fail(synced.error());
    return spool;
}

Result<std::uint64_t> Spool::free_bytes() const {
    struct statvfs room {};
    if (::fstatvfs(jobs_fd_.get(), &room) != 0) return fail(error_from_errno(errno, Operation::read, directory_));
    return std::uint64_t{room.f_bavail} * room.f_frsize;
}

Result<void> Spool::check_room(std::uint64_t expected_bytes) const {
    struct statvfs room {};
    if (::fstatvfs(jobs_fd_.get(), &room) != 0) return fail(error_from_errno(errno, Operation::write, directory_));
    const std::uint64_t free_bytes = std::uint64_t{room.f_bavail} * room.f_frsize;
    const bool enough = free_bytes >= min_free_bytes_ && free_bytes - min_free_bytes_ >= expected_bytes;
    if (enough && room.f_files != 0 && room.f_favail == 0) {
        return fail(Code::no_space, Operation::write, "no free inode is left", directory_);
    }
    if (enough) return {};
    return fail(Code::no_space, Operation::write,
                "only " + format_bytes(free_bytes) + " free; " + format_bytes(min_free_bytes_) +
                    " must stay free and the job needs " + format_bytes(expected_bytes),
                directory_);
}

std::string Spool::job_path(const std::string& name) const {
    return is_our_name(name) ? jobs_ + "/" + name : std::string();
}

std::optional<std::uint64_t> Spool::job_size(const std::string& name) const {
    const std::string path = job_path(name);
    struct stat status {};
    if (path.empty() || ::access(path.c_str(), R_OK) != 0 || ::stat(path.c_str(), &status) != 0) return std::nullopt;
    return static_cast<std::uint64_t>(status.st_size);
}

Result<std::string> Spool::link_job(const std::string& name) const {
    const std::string path = job_path(name);
    const std::string second = next_name();
    const std::string second_path = jobs_ + "/" + second;
    if (::link(path.c_str(), second_path.c_str()) != 0)
        return fail(error_from_errno(errno, Operation::rename, second_path));
    if (auto synced = sync_fd(jobs_fd_.get(), jobs_); !synced) return fail(synced.error());
    return second;
}

Result<void> Spool::remove_job(const std::string& name) const {
    const std::string path = job_path(name);
    if (path.empty()) return {};
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) return fail(error_from_errno(errno, Operation::remove, path));
    return {};
}

Result<std::vector<std::string>> Spool::remove_orphans(const std::set<std::string>& known_jobs) const {
    std::vector<std::string> removed;
    std::error_code error;
    for (const std::string& folder : {tmp_, jobs_}) {
        std::filesystem::directory_iterator entry(folder, error);
        for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
            const std::string name = entry->path().filename().string();
            // A name we never make belongs to somebody else; it is not ours to remove.
            if (!is_our_name(name) || (folder == jobs_ && known_jobs.contains(name))) continue;
            if (::unlink(entry->path().c_str()) == 0) removed.push_back(name);
        }
        if (error) return fail(error_from_errno(error.value(), Operation::read, folder));
    }
    return removed;
}

SpoolWriter::~SpoolWriter() {
    if (!published_) discard();
}

void SpoolWriter::discard() {
    fd_.reset();
    if (!path_.empty()) ::unlink(path_.c_str());
    path_.clear();
}

boost::asio::awaitable<Result<void>> SpoolWriter::open(std::uint64_t expected_bytes) {
    auto work = [this, expected_bytes]() -> Result<void> {
        if (auto room = spool_.check_room(expected_bytes); !room) return room;
        name_ = next_name();
        const std::string path = spool_.tmp_ + "/" + name_;
        fd_.reset(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640));
        if (!fd_) return fail(error_from_errno(errno, Operation::open, path));
        path_ = path;
        return reserve(expected_bytes);
    };
    co_return co_await on_pool(pool_, work);
}

// Two large jobs that come in together must not both be taken when there is room for one.
Result<void> SpoolWriter::reserve(std::uint64_t expected_bytes) {
    const auto size = checked_cast<off_t>(expected_bytes);
    if (!size || *size == 0) return {};
    if (::fallocate(fd_.get(), FALLOC_FL_KEEP_SIZE, 0, *size) == 0) {
        reserved_ = expected_bytes;
        return {};
    }
    // A file system that can't reserve says so; the room is then checked with each piece.
    if (errno == EOPNOTSUPP || errno == EINTR) return {};
    return fail(error_from_errno(errno, Operation::write, path_));
}

boost::asio::awaitable<Result<void>> SpoolWriter::append(std::span<const std::byte> bytes) {
    auto work = [this, bytes]() -> Result<void> {
        if (size_ + bytes.size() > reserved_)
            if (auto room = spool_.check_room(bytes.size()); !room) return room;
        if (auto written = write_all(fd_.get(), bytes, path_); !written) return written;
        size_ += bytes.size();
        return {};
    };
    co_return co_await on_pool(pool_, work);
}

boost::asio::awaitable<Result<void>> SpoolWriter::truncate(std::uint64_t size_bytes) {
    auto work = [this, size_bytes]() -> Result<void> {
        const auto size = checked_cast<off_t>(size_bytes);
        if (!size || ::ftruncate(fd_.get(), *size) != 0) return fail(error_from_errno(errno, Operation::write, path_));
        size_ = size_bytes;
        return {};
    };
    co_return co_await on_pool(pool_, work);
}

// A clock set back could make a name again that an older job still has.
Result<void> SpoolWriter::move_to_jobs() {
    std::string path = spool_.jobs_ + "/" + name_;
    while (::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) != 0) {
        if (errno != EEXIST) return fail(error_from_errno(errno, Operation::rename, path));
        name_ = next_name();
        path = spool_.jobs_ + "/" + name_;
    }
    path_ = path;
    published_ = true;  // from here on the file is not the destructor's to remove
    if (auto synced = sync_fd(spool_.jobs_fd_.get(), spool_.jobs_); !synced) {
        ::unlink(path.c_str());
        return synced;
    }
    return {};
}

boost::asio::awaitable<Result<std::string>> SpoolWriter::publish() {
    auto work = [this]() -> Result<std::string> {
        if (auto moved = move_to_jobs(); !moved) return fail(moved.error());
        return name_;
    };
    co_return co_await on_pool(pool_, work);
}

boost::asio::awaitable<Result<std::string>> SpoolWriter::commit() {
    auto work = [this]() -> Result<std::string> {
        // What was announced and did not come is given back.
        if (reserved_ > size_ && ::ftruncate(fd_.get(), static_cast<off_t>(size_)) != 0)
            return fail(error_from_errno(errno, Operation::write, path_));
        if (auto synced = sync_fd(fd_.get(), path_); !synced) return fail(synced.error());
        if (published_) return name_;
        if (auto moved = move_to_jobs(); !moved) return fail(moved.error());
        fd_.reset();
        return name_;
    };
    co_return co_await on_pool(pool_, work);
}

}  // namespace opispool::spooler
