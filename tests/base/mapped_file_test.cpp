// SPDX-License-Identifier: AGPL-3.0-or-later
#include "base/mapped_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <string>

#include "tests/base/scratch_folder.h"

namespace opispool {
namespace {

std::string text_of(std::span<const std::byte> bytes) {
    std::string text(bytes.size(), '\0');
    if (!bytes.empty()) std::memcpy(text.data(), bytes.data(), bytes.size());
    return text;
}

TEST(MappedFile, ShowsTheBytesAndTheIdentity) {
    const ScratchFolder folder;
    const std::string path = folder.file("a", "hello");
    const auto file = MappedFile::open(path);
    ASSERT_TRUE(file);
    struct stat status {};
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_EQ(text_of((*file)->bytes()), "hello");
    EXPECT_EQ((*file)->size(), 5U);
    EXPECT_EQ((*file)->name(), path);
    EXPECT_EQ((*file)->identity().inode, status.st_ino);
    EXPECT_EQ((*file)->identity().device, status.st_dev);
    EXPECT_EQ((*file)->identity().size_bytes, 5U);
    EXPECT_EQ((*file)->identity().mtime_ns % 1'000'000'000, status.st_mtim.tv_nsec);
    EXPECT_EQ(::fcntl((*file)->fd(), F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
}

TEST(MappedFile, AnEmptyFileIsAFile) {
    const ScratchFolder folder;
    const auto file = MappedFile::open(folder.file("empty", ""));
    ASSERT_TRUE(file);
    EXPECT_TRUE((*file)->bytes().empty());
    std::array<std::byte, 4> out{};
    EXPECT_EQ((*file)->read_at(0, out), 0U);
}

TEST(MappedFile, OpensRegularFilesOnly) {
    const ScratchFolder folder;
    const auto missing = MappedFile::open((folder.path() / "none").string());
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, Code::not_found);
    const auto directory = MappedFile::open(folder.path().string());
    ASSERT_FALSE(directory);
    EXPECT_EQ(directory.error().code, Code::not_permitted);
    const std::string fifo = (folder.path() / "fifo").string();
    ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
    const auto pipe = MappedFile::open(fifo);  // must not wait for a writer
    ASSERT_FALSE(pipe);
    EXPECT_EQ(pipe.error().code, Code::not_permitted);
}

TEST(MappedFile, AdoptsADescriptorUnderAName) {
    const ScratchFolder folder;
    const std::string path = folder.file("a", "abc");
    const auto file = MappedFile::adopt(UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC)), "store/a");
    ASSERT_TRUE(file);
    EXPECT_EQ((*file)->name(), "store/a");
    EXPECT_EQ(text_of((*file)->bytes()), "abc");
    const auto nothing = MappedFile::adopt(UniqueFd(), "nothing");
    ASSERT_FALSE(nothing);
    EXPECT_EQ(nothing.error().where, "nothing");
}

TEST(MappedFile, AWriteOnlyDescriptorCannotBeMapped) {
    const ScratchFolder folder;
    const std::string path = folder.file("a", "abc");
    const auto file = MappedFile::adopt(UniqueFd(::open(path.c_str(), O_WRONLY | O_CLOEXEC)), "a");
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().code, Code::not_permitted);
    EXPECT_EQ(file.error().operation, Operation::map);
}

TEST(MappedFile, ReadsRangesAndIsShortOnlyAtTheEnd) {
    const ScratchFolder folder;
    const auto file = MappedFile::open(folder.file("a", "0123456789"));
    ASSERT_TRUE(file);
    std::array<std::byte, 4> out{};
    EXPECT_EQ((*file)->read_at(2, out), 4U);
    EXPECT_EQ(text_of(out), "2345");
    EXPECT_EQ((*file)->read_at(8, out), 2U);
    EXPECT_EQ(text_of(std::span(out).first(2)), "89");
    EXPECT_EQ((*file)->read_at(10, out), 0U);
    EXPECT_EQ((*file)->read_at(1000, out), 0U);
}

TEST(MappedFile, StaysTheSameFileThroughRenameAndUnlink) {
    const ScratchFolder folder;
    const std::string path = folder.file("a", "first");
    const auto file = MappedFile::open(path);
    ASSERT_TRUE(file);
    std::filesystem::remove(path);
    folder.file("a", "second, another file");
    EXPECT_EQ(text_of((*file)->bytes()), "first");
    EXPECT_EQ((*file)->identity_now(), (*file)->identity());
    EXPECT_NE(MappedFile::open(path).value()->identity().inode, (*file)->identity().inode);
}

TEST(MappedFile, AWriteShowsInTheIdentity) {
    const ScratchFolder folder;
    const std::string path = folder.file("a", "first");
    const auto file = MappedFile::open(path);
    ASSERT_TRUE(file);
    std::filesystem::resize_file(path, 9);
    const auto now = (*file)->identity_now();
    ASSERT_TRUE(now);
    EXPECT_EQ(now->size_bytes, 9U);
    EXPECT_FALSE(*now == (*file)->identity());
}

TEST(MappedFile, AShrunkFileIsAShortReadAndNeverASignal) {
    const ScratchFolder folder;
    const std::string path = folder.file("a", std::string(64 << 10, 'x'));
    const auto file = MappedFile::open(path);
    ASSERT_TRUE(file);
    std::filesystem::resize_file(path, 8 << 10);
    std::array<std::byte, 16> out{};
    EXPECT_EQ((*file)->read_at(40'000, out), 0U);
    EXPECT_EQ((*file)->read_at((8 << 10) - 5, out), 5U);
}

TEST(MappedFile, ReleaseKeepsTheBytes) {
    const ScratchFolder folder;
    std::string bytes;
    for (int i = 0; i < 20'000; ++i) bytes += static_cast<char>(i % 251);
    const auto file = MappedFile::open(folder.file("a", bytes));
    ASSERT_TRUE(file);
    EXPECT_EQ(text_of((*file)->bytes()), bytes);
    (*file)->release(0, bytes.size());
    (*file)->release(100, 50);                    // less than a page: nothing to drop
    (*file)->release(5000, bytes.size() - 5000);  // up to the very end
    EXPECT_EQ(text_of((*file)->bytes()), bytes);
}

}  // namespace
}  // namespace opispool
