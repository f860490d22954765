// SPDX-License-Identifier: AGPL-3.0-or-later
#include "base/text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>

namespace opispool {
namespace {

using namespace std::string_literals;

TEST(CheckedCast, KeepsWhatFitsAndRefusesTheRest) {
    EXPECT_EQ(checked_cast<std::uint8_t>(255), 255);
    EXPECT_EQ(checked_cast<std::uint8_t>(256), std::nullopt);
    EXPECT_EQ(checked_cast<std::uint32_t>(-1), std::nullopt);
    EXPECT_EQ(checked_cast<std::int64_t>(UINT64_MAX), std::nullopt);
    EXPECT_EQ(checked_cast<std::int8_t>(std::int64_t{-128}), -128);
}

TEST(ParseU64, TakesOnlyWholeUnsignedNumbers) {
    EXPECT_EQ(parse_u64("0"), 0U);
    EXPECT_EQ(parse_u64("18446744073709551615"), UINT64_MAX);
    for (const char* bad : {"", "18446744073709551616", "-1", "+1", " 1", "1 ", "1x", "0x10", "1.0"})
        EXPECT_EQ(parse_u64(bad), std::nullopt) << bad;
}

TEST(ParseI64, TakesASignAndNothingElse) {
    EXPECT_EQ(parse_i64("-9223372036854775808"), INT64_MIN);
    EXPECT_EQ(parse_i64("9223372036854775807"), INT64_MAX);
    for (const char* bad : {"", "-", "9223372036854775808", "+1", "1e3", "--1"})
        EXPECT_EQ(parse_i64(bad), std::nullopt) << bad;
}

TEST(ParseReal, ReadsWhatPostScriptWrites) {
    EXPECT_EQ(parse_real("12"), 12.0);
    EXPECT_EQ(parse_real("+.5"), 0.5);
    EXPECT_EQ(parse_real("-.5"), -0.5);
    EXPECT_EQ(parse_real("5."), 5.0);
    EXPECT_EQ(parse_real("1e-05"), 1e-5);
    EXPECT_EQ(parse_real("-1.5E+2"), -150.0);
    EXPECT_EQ(parse_real("28.800000000000001"), 28.8);
}

TEST(ParseReal, RefusesWhatIsNoPlaceOnPaper) {
    for (const char* bad : {"",     "+",   "-",   ".",    "e5",       "+-1",   "++1",    "--1", "1 ",    " 1",   "1,5",
                            "0x10", "nan", "inf", "-inf", "INFINITY", "1e400", "-1e400", "1e",  "1.2.3", "16#FF"})
        EXPECT_EQ(parse_real(bad), std::nullopt) << bad;
}

TEST(Trim, RemovesBlanksAtBothEndsOnly) {
    EXPECT_EQ(trim(" \t a b \r\n"), "a b");
    EXPECT_EQ(trim(" \r\n\t"), "");
    EXPECT_EQ(trim(""), "");
    EXPECT_EQ(trim("a"), "a");
}

TEST(SplitBlank, TakesFieldsBetweenRunsOfBlanks) {
    EXPECT_EQ(split_blank("  1\t 2  three "), (std::vector<std::string_view>{"1", "2", "three"}));
    EXPECT_TRUE(split_blank(" \t ").empty());
    EXPECT_TRUE(split_blank("").empty());
    EXPECT_EQ(split_blank("a\nb"), (std::vector<std::string_view>{"a\nb"}));
}

TEST(AsciiCase, ChangesLettersOnlyAndLeavesOtherBytes) {
    EXPECT_EQ(to_lower_ascii("AZaz@[\xC3\x84"), "azaz@[\xC3\x84");
    EXPECT_TRUE(equals_ignoring_case("%ALDImage", "%aldIMAGE"));
    EXPECT_FALSE(equals_ignoring_case("%ALDImage", "%ALDImag"));
    EXPECT_FALSE(equals_ignoring_case("[", "{"));  // 0x20 apart, but no letters
    EXPECT_TRUE(starts_with_ignoring_case("IMAGE", "im"));
    EXPECT_TRUE(starts_with_ignoring_case("x", ""));
    EXPECT_FALSE(starts_with_ignoring_case("I", "IM"));
    EXPECT_FALSE(starts_with_ignoring_case("imago", "image"));
}

TEST(Utf8, KnowsValidSequences) {
    for (const std::string& good : {""s, "a"s, "\xC3\xA4"s, "\xE2\x82\xAC"s, "\xF0\x9F\x96\xA8"s, "\xED\x9F\xBF"s,
                                    "\xEE\x80\x80"s, "\xF4\x8F\xBF\xBF"s, "\0"s})
        EXPECT_TRUE(is_valid_utf8(good)) << printable(good);
}

TEST(Utf8, RefusesOverlongSurrogateCutAndStrayBytes) {
    for (const std::string& bad : {"\x80"s, "\xC0\x80"s, "\xC1\xBF"s, "\xC3"s, "\xE2\x82"s, "\xE0\x9F\xBF"s,
                                   "\xED\xA0\x80"s, "\xF0\x8F\xBF\xBF"s, "\xF4\x90\x80\x80"s, "\xF5\x80\x80\x80"s,
                                   "\xFF"s, "\xC3\x28"s, "\xF0\x9F\x96"s, "a\xE2\x28\xAC"s})
        EXPECT_FALSE(is_valid_utf8(bad)) << printable(bad);
}

TEST(Printable, KeepsTextAndEscapesTheRest) {
    EXPECT_EQ(printable("K\xC3\xB6nig.tif"), "K\xC3\xB6nig.tif");
    EXPECT_EQ(printable("K\xF6nig"), "K\\xF6nig");
    EXPECT_EQ(printable("a\n\x1B[31m\x7F\0z"s), "a\\x0A\\x1B[31m\\x7F\\x00z");
    EXPECT_EQ(printable("\xE2\x82"), "\\xE2\\x82");
    EXPECT_EQ(printable(""), "");
}

TEST(JsonQuoted, IsAlwaysValidJson) {
    EXPECT_EQ(json_quoted(""), "\"\"");
    EXPECT_EQ(json_quoted("a\"b\\c"), R"("a\"b\\c")");
    EXPECT_EQ(json_quoted("\n\t\x01\0"s), R"("\u000a\u0009\u0001\u0000")");
    EXPECT_EQ(json_quoted("\xC3\xA4"), "\"\xC3\xA4\"");
    EXPECT_EQ(json_quoted("\xE4"), "\"\xC3\xA4\"");  // Latin-1
    EXPECT_EQ(json_quoted("\x80\xFF"), "\"\xC2\x80\xC3\xBF\"");
    EXPECT_EQ(json_quoted("\x7F"), "\"\x7F\"");
    std::string every;
    for (int byte = 0; byte < 256; ++byte) every += static_cast<char>(byte);
    EXPECT_TRUE(is_valid_utf8(json_quoted(every)));
}

TEST(FormatReal, WritesNineDigitsAndNoExponent) {
    EXPECT_EQ(format_real(0), "0");
    EXPECT_EQ(format_real(-0.0), "0");
    EXPECT_EQ(format_real(100), "100");
    EXPECT_EQ(format_real(-1200), "-1200");
    EXPECT_EQ(format_real(0.5), "0.5");
    EXPECT_EQ(format_real(1.0 / 3), "0.333333333");
    EXPECT_EQ(format_real(2.9999999999), "3");
    EXPECT_EQ(format_real(408.6666666667), "408.666667");
    EXPECT_EQ(format_real(1e15), "1000000000000000");
    EXPECT_EQ(format_real(1e-5), "0.00001");
    EXPECT_EQ(format_real(-1e-40), "0");
}

TEST(FormatReal, ComesBackThroughParseRealAsTheSameFloat) {
    for (const double value : {0.0, -72.25, 595.276, 1e-6, 1.234567e-12, 14472.5, 3.1415926, 1e30, 123456789.0}) {
        const std::string text = format_real(value);
        EXPECT_EQ(text.find_first_of("eE"), std::string::npos) << text;
        const auto back = parse_real(text);
        ASSERT_TRUE(back) << text;
        EXPECT_EQ(static_cast<float>(*back), static_cast<float>(value)) << text;
    }
}

TEST(FormatBytes, IsReadable) {
    EXPECT_EQ(format_bytes(0), "0 bytes");
    EXPECT_EQ(format_bytes(999), "999 bytes");
    EXPECT_EQ(format_bytes(1000), "1.00 KB");
    EXPECT_EQ(format_bytes(40'000), "40.0 KB");
    EXPECT_EQ(format_bytes(123'456'789), "123 MB");
    EXPECT_EQ(format_bytes(1'200'000'000), "1.20 GB");
    EXPECT_EQ(format_bytes(UINT64_MAX), "18.4 EB");
}

}  // namespace
}  // namespace opispool
