// SPDX-License-Identifier: AGPL-3.0-or-later
#include "base/unique_fd.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <utility>

namespace opispool {
namespace {

int open_null() {
    return ::open("/dev/null", O_RDONLY | O_CLOEXEC);
}
bool is_open(int fd) {
    return ::fcntl(fd, F_GETFD) != -1;
}

TEST(UniqueFd, ClosesWhatItOwns) {
    const int fd = open_null();
    { const UniqueFd owner(fd); }
    EXPECT_FALSE(is_open(fd));
}

TEST(UniqueFd, StartsEmpty) {
    const UniqueFd none;
    EXPECT_FALSE(none);
    EXPECT_EQ(none.get(), -1);
}

TEST(UniqueFd, MovesTheOwnership) {
    const int fd = open_null();
    UniqueFd first(fd);
    UniqueFd second(std::move(first));
    EXPECT_FALSE(first);  // NOLINT: the moved-from state is part of the contract
    EXPECT_EQ(second.get(), fd);
    const int other = open_null();
    UniqueFd third(other);
    third = std::move(second);
    EXPECT_FALSE(is_open(other));
    EXPECT_EQ(third.get(), fd);
    EXPECT_TRUE(is_open(fd));
    UniqueFd& same = third;
    third = std::move(same);
    EXPECT_TRUE(is_open(fd));
}

TEST(UniqueFd, ReleasesAndResets) {
    UniqueFd owner(open_null());
    const int fd = owner.release();
    EXPECT_FALSE(owner);
    EXPECT_TRUE(is_open(fd));
    owner.reset(fd);
    EXPECT_EQ(owner.get(), fd);
    owner.reset();
    EXPECT_FALSE(is_open(fd));
}

}  // namespace
}  // namespace opispool
