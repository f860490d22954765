// SPDX-License-Identifier: AGPL-3.0-or-later
// An input as a file, for parsers that read from a descriptor. It lives in memory and has no name on disk.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <memory>

#include "base/mapped_file.h"
#include "tests/fuzz/require.h"

namespace opispool::fuzz {

inline std::shared_ptr<const MappedFile> memory_file(const std::uint8_t* data, std::size_t size) {
    UniqueFd fd(::memfd_create("input", MFD_CLOEXEC));
    require(static_cast<bool>(fd), "memfd_create works");
    for (std::size_t at = 0; at < size;) {
        const ssize_t wrote = ::write(fd.get(), data + at, size - at);
        require(wrote > 0, "a memory file can be written");
        at += static_cast<std::size_t>(wrote);
    }
    auto file = MappedFile::adopt(std::move(fd), "input");
    require(file.has_value(), "a memory file can be mapped");
    return *file;
}

}  // namespace opispool::fuzz
