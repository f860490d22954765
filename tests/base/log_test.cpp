// SPDX-License-Identifier: AGPL-3.0-or-later
#include "base/log.h"

#include <gtest/gtest.h>

#include <string>

#include "base/clock.h"

namespace opispool {
namespace {

TEST(FormatLogLine, IsOneLineWithAJournaldPriority) {
    EXPECT_EQ(format_log_line(LogLevel::info, "job.held", {{"id", "42"}, {"queue", "cover"}}),
              "<6>job.held id=42 queue=cover\n");
    EXPECT_EQ(format_log_line(LogLevel::error, "daemon.failed", {}), "<3>daemon.failed\n");
}

TEST(FormatLogLine, QuotesWhateverCouldBeTakenForSomethingElse) {
    auto value = [](const std::string& text) { return format_log_line(LogLevel::notice, "e", {{"k", text}}); };
    EXPECT_EQ(value(""), "<5>e k=\"\"\n");
    EXPECT_EQ(value("two words"), "<5>e k=\"two words\"\n");
    EXPECT_EQ(value("a=b"), "<5>e k=\"a=b\"\n");
    EXPECT_EQ(value("say \"no\""), "<5>e k=\"say \\\"no\\\"\"\n");
    EXPECT_EQ(value("x\n<3>forged id=1"), "<5>e k=\"x\\\\x0A<3>forged id=1\"\n");
    EXPECT_EQ(value("K\xC3\xB6ln"), "<5>e k=K\xC3\xB6ln\n");
    EXPECT_EQ(value("K\xF6ln"), "<5>e k=\"K\\\\xF6ln\"\n");
}

TEST(LogEvent, WritesToStandardErrorUpToTheLevel) {
    testing::internal::CaptureStderr();
    log_event(LogLevel::debug, "too.fine", {});
    log_event(LogLevel::warning, "seen", {{"n", "1"}});
    set_log_level(LogLevel::error);
    log_event(LogLevel::warning, "not.seen", {});
    set_log_level(LogLevel::debug);
    log_event(LogLevel::debug, "fine", {});
    set_log_level(LogLevel::info);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "<4>seen n=1\n<7>fine\n");
}

TEST(Clock, TheManualOneMovesByHand) {
    ManualClock clock(1000);
    EXPECT_EQ(clock.now_ms(), 1000);
    clock.advance(250);
    EXPECT_EQ(clock.now_ms(), 1250);
    EXPECT_EQ(ManualClock().now_ms(), 0);
}

TEST(Clock, TheSystemOneCountsFrom1970) {
    const UnixMs now = SystemClock().now_ms();
    EXPECT_GT(now, 1'600'000'000'000);  // 2020, in milliseconds and not in another unit
    EXPECT_LT(now, 16'000'000'000'000);
}

}  // namespace
}  // namespace opispool
