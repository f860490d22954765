// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/intake/tail_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace opispool::spooler {
namespace {

using namespace std::string_literals;
using Tail = TailVerdict::Tail;

std::span<const std::byte> as_bytes(const std::string& text) {
    return std::as_bytes(std::span<const char>(text.data(), text.size()));
}

TailVerdict verdict(const std::string& text) {
    return check_tail(as_bytes(text));
}
Tail tail(const std::string& text) {
    return verdict(text).tail;
}

const std::string head = "%!PS-Adobe-3.0\n";

TEST(TailCheck, AcceptsEveryEndMark) {
    for (const std::string& end : {"%%EOF\n"s, "%%EOF"s, "%%EOF\r\n\r\n \t"s, "%%EOF\n\4"s, "%%EOF\r\x1a"s, "\4"s,
                                   "%%EOF\n\0\0"s, "%%EOF\n\x1b%-12345X"s, "\x1b%-12345X@PJL EOJ\r\n\x1b%-12345X"s})
        EXPECT_EQ(tail(head + "showpage\n" + end), Tail::complete) << end;
}

TEST(TailCheck, SeesADocumentCutAnywhere) {
    const std::string whole = head + "%%Page: 1 1\nshowpage\n%%EOF\n";
    for (std::size_t length = 0; length < whole.size() - 1; ++length)
        EXPECT_NE(tail(whole.substr(0, length)), Tail::complete) << length;
    EXPECT_EQ(tail(whole.substr(0, whole.size() - 3)), Tail::cut_off);
}

TEST(TailCheck, DoesNotTakeAWrappersBeginningForItsEnd) {
    EXPECT_EQ(tail("\x1b%-12345X@PJL JOB\n@PJL ENTER LANGUAGE=POSTSCRIPT\n"), Tail::cut_off);
    EXPECT_EQ(tail("\x1b%-12345X@PJL ENTER LANGUAGE=POSTSCRIPT\n%!PS-Adobe-3.0\nshow"), Tail::cut_off);
}

TEST(TailCheck, CannotJudgePlainPostScript) {
    EXPECT_EQ(tail("%!\nshowpage\n"), Tail::no_end_mark);
    EXPECT_EQ(tail("%!\nshowpage\n\4"), Tail::complete);
}

TEST(TailCheck, FindsOpenDocuments) {
    EXPECT_EQ(tail(head + "%%BeginDocument: a.eps\n%!PS-Adobe-3.0 EPSF-3.0\n%%EOF\n"), Tail::cut_off);
    EXPECT_EQ(tail(head + "%%BeginDocument: a.eps\n%%EOF\n%%EndDocument\n%%EOF\n"), Tail::complete);
    EXPECT_EQ(verdict(head + "%%BeginDocument: a.eps\n%%EOF\n").reason, "%%BeginDocument at byte 15 is not closed");
}

TEST(TailCheck, SkipsCountedData) {
    const std::string image = "\n%%BeginDocument: x\n%%EOF\n";  // looks like comments, is data
    const std::string count = std::to_string(image.size());
    EXPECT_EQ(tail(head + "%%BeginData: " + count + " Binary Bytes\n" + image + "\n%%EndData\n%%EOF\n"),
              Tail::complete);
    EXPECT_EQ(tail(head + "%%BeginBinary: " + count + "\r\n" + image + "%%EndBinary\r\n%%EOF\n"), Tail::complete);
    EXPECT_EQ(tail(head + "%%BeginData: 500 Binary Bytes\n" + image), Tail::cut_off);
    EXPECT_EQ(tail(head + "%%BeginData: 3 Hex Lines\n00\n00\n00\n%%EndData\n%%EOF\n"), Tail::complete);
}

TEST(TailCheck, FindsTheEndOfDataWithAWrongCount) {
    EXPECT_EQ(tail(head + "%%BeginData: 2 Binary Bytes\nabcdef\n%%EndData\n%%EOF\n"), Tail::complete);
    EXPECT_EQ(tail(head + "%%BeginData: (atend)\nabcdef\n%%EndData\n%%EOF\n"), Tail::complete);
    EXPECT_EQ(tail(head + "%%BeginData: 2 Binary Bytes\nabcdef\n%%EOF\n"), Tail::cut_off);
}

TEST(TailCheck, TellsHowFarItHasCome) {
    std::string large = head + "%%BeginDocument: a.eps\n";
    while (large.size() < 20U << 20U) large += "0 0 moveto %% 1 1 lineto" + std::string(2000, ' ') + "\n";
    std::vector<std::size_t> passed;
    const auto note = [&passed](std::size_t offset) { passed.push_back(offset); };
    EXPECT_EQ(check_tail(as_bytes(large + "%%EndDocument\n%%EOF\n"), note).tail, Tail::complete);
    EXPECT_GE(passed.size(), 3U);
    EXPECT_TRUE(std::is_sorted(passed.begin(), passed.end()));
    EXPECT_EQ(check_tail(as_bytes(large + "%%EOF\n")).tail, Tail::cut_off);
}

}  // namespace
}  // namespace opispool::spooler
