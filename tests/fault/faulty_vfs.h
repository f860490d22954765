// SPDX-License-Identifier: AGPL-3.0-or-later
// A way to the disk for SQLite that counts flushes and fails when told to: the disk that is full, or gives I/O errors.
#pragma once

#include <cstdint>

namespace opispool::fault {

// The one registered under `faulty_vfs_name`; reset it at the start of a test.
struct FaultyDisk {
    std::int64_t writes = 0;
    std::int64_t syncs = 0;
    std::int64_t writes_until_failure = -1;  // 0: the next write and all after it fail with "disk full"; < 0: never
    std::int64_t syncs_until_failure = -1;   // the same for flushes, with an I/O error
};

inline constexpr const char* faulty_vfs_name = "opispool-faulty";

// Registers the VFS on first use.
FaultyDisk& faulty_disk();

}  // namespace opispool::fault
