// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/plan_cursor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "opi/splice_plan.h"
#include "tests/opi/temp_store.h"

namespace opispool::opi {
namespace {

// Counts up, byte by byte, in pieces of at most seven bytes.
class Counting final : public GeneratedData {
  public:
    Counting(std::uint64_t length, std::uint64_t really) : length_(length), really_(really) {}
    std::uint64_t length_bytes() const override { return length_; }
    std::string description() const override { return "counting"; }
    Result<std::unique_ptr<Encoder>> start() const override {
        struct Count final : Encoder {
            explicit Count(std::uint64_t end) : end_(end) {}
            Result<std::size_t> produce(std::span<std::byte> out) override {
                std::size_t n = 0;
                for (; n < out.size() && n < 7 && at_ < end_; ++n) out[n] = static_cast<std::byte>('a' + at_++ % 26);
                return n;
            }
            std::uint64_t at_ = 0, end_;
        };
        return std::make_unique<Count>(really_);
    }

  private:
    std::uint64_t length_, really_;
};

struct Fixture {
    testing::TempStore store;
    std::shared_ptr<const MappedFile> file;
    Fixture() {
        std::ofstream(store.at("f"), std::ios::binary) << std::string(10'000, 'f') + "END";
        file = *MappedFile::open(store.at("f").string());
    }
};

std::string read_all(PlanCursor& cursor, std::size_t window) {
    std::string out;
    std::string buffer(window, '?');
    while (!cursor.done()) {
        auto got = cursor.read(std::as_writable_bytes(std::span(buffer)));
        if (!got) return out + "<" + got.error().text + ">";
        if (*got == 0) return out + "<no progress>";
        if (*got < window && !cursor.done()) return out + "<short>";
        out.append(buffer, 0, *got);
    }
    return out;
}

std::shared_ptr<const SplicePlan> mixed_plan(const Fixture& fixture, std::string& expected) {
    PlanBuilder builder;
    const auto source = builder.add_source(fixture.file);
    builder.text("head\n");
    builder.file_range(source, 9'990, 13);
    builder.generated(std::make_shared<Counting>(100, 100));
    builder.generated(std::make_shared<Counting>(3, 3));
    builder.text("tail");
    std::string counted;
    for (int i = 0; i < 100; ++i) counted += static_cast<char>('a' + i % 26);
    expected = "head\n" + std::string(10, 'f') + "END" + counted + "abc" + "tail";
    return builder.finish();
}

TEST(PlanCursor, GivesEveryByteOnceForAnyWindow) {
    Fixture fixture;
    std::string expected;
    auto plan = mixed_plan(fixture, expected);
    ASSERT_TRUE(check_plan(*plan));
    ASSERT_EQ(plan->total_bytes(), expected.size());
    for (std::size_t window : {1U, 2U, 5U, 20U, 64U, 4096U}) {
        PlanCursor cursor(plan);
        EXPECT_EQ(read_all(cursor, window), expected) << window;
    }
}

TEST(PlanCursor, NamesTheRestOfAFileRangeAndPassesOverIt) {
    Fixture fixture;
    std::string expected;
    PlanCursor cursor(mixed_plan(fixture, expected));
    EXPECT_FALSE(cursor.file_stretch());
    std::array<std::byte, 7> head{};
    ASSERT_TRUE(cursor.read(head));
    const auto stretch = cursor.file_stretch();
    ASSERT_TRUE(stretch);
    EXPECT_EQ(stretch->offset_bytes, 9'992U);
    EXPECT_EQ(stretch->length_bytes, 11U);
    cursor.skip(10);
    EXPECT_EQ(cursor.file_stretch()->length_bytes, 1U);
    cursor.skip(1);
    EXPECT_FALSE(cursor.file_stretch());
    EXPECT_EQ(read_all(cursor, 64), expected.substr(18));
}

TEST(PlanCursor, ResumesAtEveryByte) {
    Fixture fixture;
    std::string expected;
    auto plan = mixed_plan(fixture, expected);
    for (std::size_t start = 0; start <= expected.size(); ++start) {
        PlanCursor cursor(plan, start);
        EXPECT_EQ(read_all(cursor, 64), expected.substr(start));
    }
}

TEST(PlanCursor, AnEncoderThatEndsEarlyIsAnError) {
    PlanBuilder builder;
    builder.generated(std::make_shared<Counting>(30, 20));
    PlanCursor cursor(builder.finish());
    EXPECT_THAT(read_all(cursor, 64), ::testing::HasSubstr("ended before its declared length"));
}

TEST(PlanCursor, AFileThatShrinksIsAnErrorAndNoCrash) {
    Fixture fixture;
    PlanBuilder builder;
    builder.file_range(builder.add_source(fixture.file), 0, 10'003);
    auto plan = builder.finish();
    std::filesystem::resize_file(fixture.store.at("f"), 100);
    PlanCursor cursor(plan);
    std::array<std::byte, 60> window{};
    ASSERT_TRUE(cursor.read(window));
    const auto beyond = cursor.read(window);
    ASSERT_FALSE(beyond);
    EXPECT_EQ(beyond.error().code, Code::changed);
    EXPECT_EQ(beyond.error().offset_bytes, 100U);
    ASSERT_FALSE(check_sources(*plan));
    EXPECT_EQ(check_sources(*plan).error().code, Code::changed);
}

TEST(SplicePlan, MergesNeighboursAndKnowsItsImages) {
    Fixture fixture;
    PlanBuilder builder;
    const auto source = builder.add_source(fixture.file);
    builder.text("a");
    builder.text("");
    builder.text("b");
    builder.begin_image(PlacedImage{"pic", "f", 1, 7, 0, 0});
    builder.file_range(source, 0, 10);
    builder.file_range(source, 10, 5);
    builder.end_image();
    builder.file_range(source, 100, 5);
    auto plan = builder.finish();
    EXPECT_EQ(plan->spans().size(), 3U);
    EXPECT_EQ(text_form(*plan).find("0 2 text\n"), 0U);
    EXPECT_EQ(plan->image_at(1), nullptr);
    ASSERT_NE(plan->image_at(2), nullptr);
    EXPECT_EQ(plan->image_at(16)->name, "pic");
    EXPECT_EQ(plan->image_at(17), nullptr);
}

TEST(SplicePlan, CheckFindsARangeBeyondItsSource) {
    Fixture fixture;
    for (auto [offset, length] : {std::pair<std::uint64_t, std::uint64_t>{10'000, 4}, {10'004, 1}, {1, UINT64_MAX}}) {
        PlanBuilder builder;
        builder.file_range(builder.add_source(fixture.file), offset, length);
        EXPECT_FALSE(check_plan(*builder.finish())) << offset << " " << length;
    }
}

}  // namespace
}  // namespace opispool::opi
