// SPDX-License-Identifier: AGPL-3.0-or-later
#include "tests/fault/faulty_vfs.h"

#include <sqlite3.h>

#include <cstddef>
#include <stdexcept>

namespace opispool::fault {
namespace {

FaultyDisk disk;
sqlite3_vfs* real_vfs = nullptr;

// Lies at the start of the memory SQLite gives for a file; the real VFS's file follows it.
struct FaultyFile {
    sqlite3_file base;
    sqlite3_file* real;
};

sqlite3_file* real_of(sqlite3_file* file) {
    return reinterpret_cast<FaultyFile*>(file)->real;
}

bool fails(std::int64_t& until_failure) {
    if (until_failure < 0) return false;
    if (until_failure == 0) return true;
    --until_failure;
    return false;
}

int close_file(sqlite3_file* file) {
    return real_of(file)->pMethods->xClose(real_of(file));
}
int read_file(sqlite3_file* file, void* out, int amount, sqlite3_int64 offset) {
    return real_of(file)->pMethods->xRead(real_of(file), out, amount, offset);
}
int write_file(sqlite3_file* file, const void* bytes, int amount, sqlite3_int64 offset) {
    ++disk.writes;
    if (fails(disk.writes_until_failure)) return SQLITE_FULL;
    return real_of(file)->pMethods->xWrite(real_of(file), bytes, amount, offset);
}
int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
    return real_of(file)->pMethods->xTruncate(real_of(file), size);
}
int sync_file(sqlite3_file* file, int flags) {
    ++disk.syncs;
    if (fails(disk.syncs_until_failure)) return SQLITE_IOERR_FSYNC;
    return real_of(file)->pMethods->xSync(real_of(file), flags);
}
int file_size(sqlite3_file* file, sqlite3_int64* size) {
    return real_of(file)->pMethods->xFileSize(real_of(file), size);
}
int lock_file(sqlite3_file* file, int level) {
    return real_of(file)->pMethods->xLock(real_of(file), level);
}
int unlock_file(sqlite3_file* file, int level) {
    return real_of(file)->pMethods->xUnlock(real_of(file), level);
}
int check_lock(sqlite3_file* file, int* out) {
    return real_of(file)->pMethods->xCheckReservedLock(real_of(file), out);
}
int control_file(sqlite3_file* file, int what, void* argument) {
    return real_of(file)->pMethods->xFileControl(real_of(file), what, argument);
}
int sector_size(sqlite3_file* file) {
    return real_of(file)->pMethods->xSectorSize(real_of(file));
}
int device_characteristics(sqlite3_file* file) {
    return real_of(file)->pMethods->xDeviceCharacteristics(real_of(file));
}
int shm_map(sqlite3_file* file, int page, int page_size, int extend, void volatile** out) {
    return real_of(file)->pMethods->xShmMap(real_of(file), page, page_size, extend, out);
}
int shm_lock(sqlite3_file* file, int offset, int count, int flags) {
    return real_of(file)->pMethods->xShmLock(real_of(file), offset, count, flags);
}
void shm_barrier(sqlite3_file* file) {
    real_of(file)->pMethods->xShmBarrier(real_of(file));
}
int shm_unmap(sqlite3_file* file, int remove) {
    return real_of(file)->pMethods->xShmUnmap(real_of(file), remove);
}

sqlite3_io_methods make_methods() {
    sqlite3_io_methods methods{};
    methods.iVersion = 2;  // without memory-mapped reads and writes, so that every byte passes here
    methods.xClose = close_file;
    methods.xRead = read_file;
    methods.xWrite = write_file;
    methods.xTruncate = truncate_file;
    methods.xSync = sync_file;
    methods.xFileSize = file_size;
    methods.xLock = lock_file;
    methods.xUnlock = unlock_file;
    methods.xCheckReservedLock = check_lock;
    methods.xFileControl = control_file;
    methods.xSectorSize = sector_size;
    methods.xDeviceCharacteristics = device_characteristics;
    methods.xShmMap = shm_map;
    methods.xShmLock = shm_lock;
    methods.xShmBarrier = shm_barrier;
    methods.xShmUnmap = shm_unmap;
    return methods;
}

int open_file(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out_flags) {
    static const sqlite3_io_methods methods = make_methods();
    auto* faulty = reinterpret_cast<FaultyFile*>(file);
    faulty->real = reinterpret_cast<sqlite3_file*>(reinterpret_cast<std::byte*>(file) + sizeof(FaultyFile));
    faulty->base.pMethods = nullptr;
    const int result = real_vfs->xOpen(real_vfs, name, faulty->real, flags, out_flags);
    if (faulty->real->pMethods != nullptr) faulty->base.pMethods = &methods;
    return result;
}

}  // namespace

FaultyDisk& faulty_disk() {
    static sqlite3_vfs vfs = [] {
        real_vfs = sqlite3_vfs_find(nullptr);
        if (real_vfs == nullptr) throw std::runtime_error("SQLite has no VFS");
        sqlite3_vfs copy = *real_vfs;
        copy.zName = faulty_vfs_name;
        copy.szOsFile = static_cast<int>(sizeof(FaultyFile)) + real_vfs->szOsFile;
        copy.xOpen = open_file;
        return copy;
    }();
    static const int registered = sqlite3_vfs_register(&vfs, 0);
    if (registered != SQLITE_OK) throw std::runtime_error("the faulty VFS can't be registered");
    return disk;
}

}  // namespace opispool::fault
