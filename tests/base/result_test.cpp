// SPDX-License-Identifier: AGPL-3.0-or-later
#include "base/result.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <set>
#include <string>

namespace opispool {
namespace {

TEST(NameOf, GivesEveryCodeANameOfItsOwn) {
    std::set<std::string_view> names;
    for (int i = 0; i <= static_cast<int>(Code::internal); ++i) names.insert(name_of(static_cast<Code>(i)));
    EXPECT_EQ(names.size(), static_cast<std::size_t>(Code::internal) + 1);
    EXPECT_EQ(name_of(Code::bad_syntax), "bad_syntax");
    EXPECT_EQ(name_of(Code::no_space), "no_space");
    EXPECT_EQ(name_of(Code::disconnected), "disconnected");
    EXPECT_EQ(name_of(Code::internal), "internal");
    EXPECT_FALSE(names.contains(""));
}

TEST(NameOf, GivesEveryOperationANameOfItsOwn) {
    std::set<std::string_view> names;
    for (int i = 0; i <= static_cast<int>(Operation::execute); ++i) names.insert(name_of(static_cast<Operation>(i)));
    EXPECT_EQ(names.size(), static_cast<std::size_t>(Operation::execute) + 1);
    EXPECT_EQ(name_of(Operation::parse), "parse");
    EXPECT_EQ(name_of(Operation::check_plan), "check plan");
    EXPECT_EQ(name_of(Operation::connect), "connect");
    EXPECT_EQ(name_of(Operation::execute), "execute");
    EXPECT_FALSE(names.contains(""));
}

TEST(Describe, SaysWhatWasTriedWhereAndWhy) {
    EXPECT_EQ(describe(Error{Code::io, Operation::open, "no", "store/car.tif", 8}), "open store/car.tif at byte 8: no");
    EXPECT_EQ(describe(Error{Code::io, Operation::open, "no", "store/car.tif", std::nullopt}),
              "open store/car.tif: no");
    EXPECT_EQ(describe(Error{Code::io, Operation::parse, "no", "", std::nullopt}), "parse: no");
}

TEST(Fail, BecomesTheErrorOfAResult) {
    const Result<int> result = fail(Code::too_large, Operation::receive, "over the limit", "peer", 12);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, Code::too_large);
    EXPECT_EQ(result.error().operation, Operation::receive);
    EXPECT_EQ(result.error().text, "over the limit");
    EXPECT_EQ(result.error().where, "peer");
    EXPECT_EQ(result.error().offset_bytes, 12U);
    const Result<std::string> passed_on = fail(result.error());
    EXPECT_EQ(passed_on.error().text, "over the limit");
}

TEST(ErrorFromErrno, ChoosesTheCodeThatDecisionsNeed) {
    auto code_of = [](int value) { return error_from_errno(value, Operation::write, "x").code; };
    EXPECT_EQ(code_of(ENOSPC), Code::no_space);
    EXPECT_EQ(code_of(EDQUOT), Code::no_space);
    EXPECT_EQ(code_of(ENOENT), Code::not_found);
    EXPECT_EQ(code_of(ENOTDIR), Code::not_found);
    EXPECT_EQ(code_of(EACCES), Code::not_permitted);
    EXPECT_EQ(code_of(EPERM), Code::not_permitted);
    EXPECT_EQ(code_of(EXDEV), Code::not_permitted);
    EXPECT_EQ(code_of(ELOOP), Code::not_permitted);
    EXPECT_EQ(code_of(ETIMEDOUT), Code::timeout);
    EXPECT_EQ(code_of(ECONNREFUSED), Code::refused);
    EXPECT_EQ(code_of(ECONNRESET), Code::disconnected);
    EXPECT_EQ(code_of(EPIPE), Code::disconnected);
    EXPECT_EQ(code_of(EIO), Code::io);
    const Error error = error_from_errno(ENOSPC, Operation::write, "spool/a");
    EXPECT_EQ(describe(error), "write spool/a: No space left on device");
}

}  // namespace
}  // namespace opispool
