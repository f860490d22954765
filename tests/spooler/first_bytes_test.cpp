// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/intake/first_bytes.h"

#include <gtest/gtest.h>

namespace opispool::spooler {
namespace {

using namespace std::string_literals;

std::span<const std::byte> as_bytes(const std::string& text) {
    return std::as_bytes(std::span<const char>(text.data(), text.size()));
}

TEST(Sniff, KnowsDocumentsByTheirFirstBytes) {
    for (const std::string& text : {"%!PS"s, "\4%!"s, "\r\n%!"s, "\x1b%-12345X@PJL"s, "\xC5\xD0\xD3\xC6"s,
                                    "\xEF\xBB\xBF%!"s, "\1M%!"s, "@PJL"s, "%%BeginFeature"s})
        EXPECT_EQ(sniff(as_bytes(text)), Sniffed::document) << text;
    for (const std::string& text : {""s, "\x1b%-1"s, "\4"s, "\xC5\xD0"s, "@"s})
        EXPECT_EQ(sniff(as_bytes(text)), Sniffed::need_more) << text;
    for (const std::string& text : {"GET / HTTP/1.1\r\n"s, "\x16\x03\x01"s, std::string(30, '\0'), "\x1b%-2"s, "hello"s,
                                    std::string(sniff_bytes, '\n')})
        EXPECT_EQ(sniff(as_bytes(text)), Sniffed::rubbish) << text;
}

std::string title(const std::string& text) {
    return find_header_comment(as_bytes(text), "%%Title:");
}

TEST(HeaderComment, IsFoundWhateverTheLineEnd) {
    for (const std::string end : {"\n", "\r", "\r\n"})
        EXPECT_EQ(title("%!PS-Adobe-3.0" + end + "%%For: anna" + end + "%%Title: (Spring cover)" + end),
                  "Spring cover");
    EXPECT_EQ(title("%!PS-Adobe-3.0\n%%Title: plain words  \n"), "plain words");
    EXPECT_EQ(title("%!PS-Adobe-3.0\n%%Title: caf\xe9\n"), "caf\\xE9");
}

TEST(HeaderComment, IsAbsent) {
    EXPECT_EQ(title(""), "");
    EXPECT_EQ(title("%!PS-Adobe-3.0\n%%Title: (atend)\n"), "");
    EXPECT_EQ(title("%!PS-Adobe-3.0\n%%EndComments\n%%Title: of something inside\n"), "");
    EXPECT_EQ(title(std::string(header_bytes, '\n') + "%%Title: too late\n"), "");
}

}  // namespace
}  // namespace opispool::spooler
