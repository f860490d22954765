// SPDX-License-Identifier: AGPL-3.0-or-later
// A read-only map of a whole file, and the identity that tells whether a path still means the same bytes.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace opispool {

struct FileIdentity {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::uint64_t size_bytes = 0;
    std::int64_t mtime_ns = 0;
    friend auto operator<=>(const FileIdentity&, const FileIdentity&) = default;
};

// An open, pinned file. The descriptor stays open as long as the object lives, so a rename or unlink does not matter;
// truncation does, and is found by comparing `identity_now()` with `identity()`.
class MappedFile {
  public:
    // path  opened read-only, regular files only
    static Result<std::shared_ptr<const MappedFile>> open(const std::string& path);
    // Takes an already open descriptor (openat2 with RESOLVE_BENEATH in the store). `name` is for messages.
    static Result<std::shared_ptr<const MappedFile>> adopt(UniqueFd fd, std::string name);
    // A file that somebody only ever appends to: what is there now, and it counts as unchanged while it grows.
    static Result<std::shared_ptr<const MappedFile>> open_growing(const std::string& path);

    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;
    ~MappedFile();

    // The map, for our own spool files, which are immutable. Never for a picture of a store: one that shrinks meanwhile
    // would raise SIGBUS; read_at() gives a short read.
    std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(address_), size()}; }
    std::size_t size() const { return static_cast<std::size_t>(identity_.size_bytes); }
    int fd() const { return fd_.get(); }
    const std::string& name() const { return name_; }
    const FileIdentity& identity() const { return identity_; }
    Result<FileIdentity> identity_now() const;

    // Fills `out` from `offset_bytes`; short only at the end of the file. The safe way for the CPU to read a store
    // image.
    Result<std::size_t> read_at(std::uint64_t offset_bytes, std::span<std::byte> out) const;

    // Drops the range from this process's resident memory; the page cache keeps it.
    void release(std::uint64_t offset_bytes, std::uint64_t length_bytes) const;

  private:
    static Result<std::shared_ptr<const MappedFile>> map(UniqueFd fd, std::string name, bool grows);
    MappedFile(UniqueFd fd, std::string name, FileIdentity identity, void* address, bool grows)
        : fd_(std::move(fd)), name_(std::move(name)), identity_(identity), address_(address), grows_(grows) {}
    UniqueFd fd_;
    std::string name_;
    FileIdentity identity_;
    void* address_;  // nullptr for an empty file
    bool grows_;
};

}  // namespace opispool
