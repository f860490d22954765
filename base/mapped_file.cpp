// SPDX-License-Identifier: AGPL-3.0-or-later
#include "base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

namespace opispool {

namespace {

constexpr std::uint64_t page_bytes = 4096;

FileIdentity identity_of(const struct stat& status) {
    return FileIdentity{status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size),
                        static_cast<std::int64_t>(status.st_mtim.tv_sec) * 1'000'000'000 + status.st_mtim.tv_nsec};
}

Result<UniqueFd> open_for_reading(const std::string& path) {
    UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!fd) return fail(error_from_errno(errno, Operation::open, path));
    return fd;
}

}  // namespace

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::string& path) {
    auto fd = open_for_reading(path);
    if (!fd) return fail(std::move(fd.error()));
    return map(std::move(*fd), path, false);
}

Result<std::shared_ptr<const MappedFile>> MappedFile::open_growing(const std::string& path) {
    auto fd = open_for_reading(path);
    if (!fd) return fail(std::move(fd.error()));
    return map(std::move(*fd), path, true);
}

Result<std::shared_ptr<const MappedFile>> MappedFile::adopt(UniqueFd fd, std::string name) {
    return map(std::move(fd), std::move(name), false);
}

Result<std::shared_ptr<const MappedFile>> MappedFile::map(UniqueFd fd, std::string name, bool grows) {
    struct stat status {};
    if (::fstat(fd.get(), &status) != 0) return fail(error_from_errno(errno, Operation::open, name));
    if (!S_ISREG(status.st_mode))
        return fail(Code::not_permitted, Operation::open, "is not a regular file", std::move(name));
    const FileIdentity identity = identity_of(status);
    void* address = nullptr;
    if (identity.size_bytes > 0) {
        address = ::mmap(nullptr, identity.size_bytes, PROT_READ, MAP_SHARED | MAP_NORESERVE, fd.get(), 0);
        if (address == MAP_FAILED) return fail(error_from_errno(errno, Operation::map, std::move(name)));
    }
    return std::shared_ptr<const MappedFile>(new MappedFile(std::move(fd), std::move(name), identity, address, grows));
}

MappedFile::~MappedFile() {
    if (address_ != nullptr) ::munmap(address_, size());
}

Result<FileIdentity> MappedFile::identity_now() const {
    struct stat status {};
    if (::fstat(fd_.get(), &status) != 0) return fail(error_from_errno(errno, Operation::open, name_));
    const FileIdentity now = identity_of(status);
    if (grows_ && now.size_bytes >= identity_.size_bytes) return identity_;
    return now;
}

Result<std::size_t> MappedFile::read_at(std::uint64_t offset_bytes, std::span<std::byte> out) const {
    std::size_t done = 0;
    while (done < out.size()) {
        const ssize_t got =
            ::pread(fd_.get(), out.data() + done, out.size() - done, static_cast<off_t>(offset_bytes + done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return fail(error_from_errno(errno, Operation::read, name_));
        if (got == 0) break;
        done += static_cast<std::size_t>(got);
    }
    return done;
}

void MappedFile::release(std::uint64_t offset_bytes, std::uint64_t length_bytes) const {
    // Down to the page: what lies before the range on its first page was used up earlier, and a page wrongly dropped
    // only comes in again from the page cache.
    const std::uint64_t start = offset_bytes / page_bytes * page_bytes;
    std::uint64_t end = offset_bytes + length_bytes;
    if (end < identity_.size_bytes) end = end / page_bytes * page_bytes;
    if (end > start) ::madvise(static_cast<std::byte*>(address_) + start, end - start, MADV_DONTNEED);
}

}  // namespace opispool
