// SPDX-License-Identifier: AGPL-3.0-or-later
#include "base/file_facts.h"

#include <gtest/gtest.h>

namespace opispool {
namespace {

constexpr std::int64_t second_ns = 1'000'000'000;

FileIdentity file_of(std::uint64_t inode, std::int64_t mtime_ns = 0) {
    return FileIdentity{1, inode, 100, mtime_ns};
}

struct Fixture : testing::Test {
    std::int64_t now_ns = 1'000 * second_ns;
    int asked = 0;
    Result<int> ask(FileFacts& facts, const FileIdentity& file, const std::string& what, std::size_t bytes = 0) {
        return remembered<int>(
            &facts, file, what, [&]() -> Result<int> { return ++asked; }, [bytes](int) { return bytes; });
    }
};
using FileFactsTest = Fixture;

TEST_F(FileFactsTest, FindsOutOnceForAFileAndAQuestion) {
    FileFacts facts([this] { return now_ns; });
    EXPECT_EQ(ask(facts, file_of(7), "rows"), 1);
    EXPECT_EQ(ask(facts, file_of(7), "rows"), 1);
    EXPECT_EQ(ask(facts, file_of(7), "strips"), 2);
    EXPECT_EQ(ask(facts, file_of(8), "rows"), 3);
    EXPECT_EQ(ask(facts, file_of(7, second_ns), "rows"), 4) << "the file was changed";
    EXPECT_EQ(facts.find<std::string>(file_of(7), "rows"), std::nullopt) << "an answer of another type";
}

TEST_F(FileFactsTest, DoesNotTrustTheTimeOfAFileThatChangedAMomentAgo) {
    FileFacts facts([this] { return now_ns; });
    const FileIdentity fresh = file_of(7, now_ns - second_ns);
    EXPECT_EQ(ask(facts, fresh, "rows"), 1);
    EXPECT_EQ(ask(facts, fresh, "rows"), 2);
    now_ns += 10 * second_ns;
    EXPECT_EQ(ask(facts, fresh, "rows"), 3);
    EXPECT_EQ(ask(facts, fresh, "rows"), 3);
    EXPECT_EQ(ask(facts, file_of(9, now_ns + second_ns), "rows"), 4) << "a time to come";
    EXPECT_EQ(ask(facts, file_of(9, now_ns + second_ns), "rows"), 5);
}

TEST_F(FileFactsTest, ForgetsTheOldestWhenFull) {
    FileFacts facts([this] { return now_ns; }, 3'000);
    EXPECT_EQ(ask(facts, file_of(1), "rows", 1'000), 1);
    EXPECT_EQ(ask(facts, file_of(2), "rows", 1'000), 2);
    EXPECT_EQ(ask(facts, file_of(3), "rows", 1'000), 3);
    EXPECT_EQ(ask(facts, file_of(3), "rows", 1'000), 3);
    EXPECT_EQ(ask(facts, file_of(2), "rows", 1'000), 2);
    EXPECT_EQ(ask(facts, file_of(1), "rows", 1'000), 4);
    EXPECT_EQ(ask(facts, file_of(4), "rows", 10'000), 5) << "too large to keep: not kept, nothing dropped for it";
    EXPECT_EQ(ask(facts, file_of(4), "rows", 10'000), 6);
    EXPECT_EQ(ask(facts, file_of(1), "rows", 1'000), 4);
}

TEST_F(FileFactsTest, KeepsNoError) {
    FileFacts facts([this] { return now_ns; });
    const auto bytes = [](int) { return std::size_t{0}; };
    const auto bad = [&]() -> Result<int> {
        ++asked;
        return fail(Code::bad_image, Operation::decode, "damaged");
    };
    EXPECT_FALSE(remembered<int>(&facts, file_of(1), "rows", bad, bytes));
    EXPECT_FALSE(remembered<int>(&facts, file_of(1), "rows", bad, bytes));
    EXPECT_EQ(asked, 2);
    EXPECT_EQ(ask(facts, file_of(1), "rows"), 3);
}

}  // namespace
}  // namespace opispool
