// SPDX-License-Identifier: AGPL-3.0-or-later
#include <gtest/gtest.h>

#include "spooler/cli/http_client.h"
#include "spooler/cli/progress_bar.h"
#include "spooler/cli/table.h"
#include "spooler/cli/time_option.h"

namespace opispool::cli {
namespace {

TEST(Table, AlignsByCharacters) {
    EXPECT_EQ(format_table({{"JOB", "TITLE", "X"}, {"7", "Grüße", "a"}, {"1234", "b", "c"}}, {0}),
              " JOB  TITLE  X\n"
              "   7  Grüße  a\n"
              "1234  b      c\n");
    EXPECT_EQ(format_table({}), "");
}

TEST(TimeOption, ReadsWhatPeopleType) {
    const auto now = parse_time_option("2026-03-02 10:30:20", 0);
    ASSERT_TRUE(now);
    EXPECT_EQ(local_time_text(*now), "2026-03-02 10:30:20");
    const auto text = [&](const char* typed) {
        const auto time = parse_time_option(typed, *now);
        return time ? local_time_text(*time) : time.error().text;
    };
    EXPECT_EQ(text("22:00"), "2026-03-02 22:00:00");
    EXPECT_EQ(text("09:15"), "2026-03-03 09:15:00") << "the next one";
    EXPECT_EQ(text("+90m"), "2026-03-02 12:00:20");
    EXPECT_EQ(text("+1d"), "2026-03-03 10:30:20");
    EXPECT_EQ(text("2026-12-24T18:00"), "2026-12-24 18:00:00");
    for (const char* wrong :
         {"", "soon", "25:00", "22:00 ", "+m", "+1x", "+-1h", "+99999999999999999999h", "2026-13-01 10:00"})
        EXPECT_FALSE(parse_time_option(wrong, *now)) << wrong;
}

TEST(ProgressLine, ShowsPartBytesAndSpeed) {
    EXPECT_EQ(progress_line("x", 50'000'000, 100'000'000, 2, 200),
              "x [===============               ]  50 %  50.0 MB of 100 MB  25.0 MB/s");
    EXPECT_EQ(progress_line("x", 1'000, 0, 0, 200), "x  1.00 KB");
    EXPECT_EQ(progress_line("x", 300, 100, 0, 200), "x [==============================] 100 %  300 bytes of 100 bytes");
}

TEST(ProgressLine, FitsTheTerminalWithoutCuttingACharacter) {
    EXPECT_EQ(progress_line("\u00e9\u00e9\u00e9", 1, 2, 1, 3), "\u00e9");
    EXPECT_EQ(progress_line("abc", 1, 2, 1, 0), "");
}

TEST(ServerAddress, ReadsHostAndPort) {
    const struct {
        const char *text, *host, *port, *shown;
    } cases[] = {{"press-1", "press-1", "8632", "press-1:8632"},
                 {"press-1:80", "press-1", "80", "press-1:80"},
                 {"[::1]:9000", "::1", "9000", "[::1]:9000"},
                 {"[::1]", "::1", "8632", "[::1]:8632"}};
    for (const auto& one : cases) {
        const auto server = parse_server_address(one.text);
        ASSERT_TRUE(server) << one.text;
        EXPECT_EQ(server->host, one.host);
        EXPECT_EQ(server->port, one.port);
        EXPECT_EQ(server->text(), one.shown);
    }
    for (const char* text : {"", ":80", "a:", "a:0", "a:65536", "a:b", "[::1", "[::1]x", "a:80:1", "a: 80"})
        EXPECT_FALSE(parse_server_address(text)) << text;
}

}  // namespace
}  // namespace opispool::cli
