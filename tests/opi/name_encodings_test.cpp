// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/name_encodings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/text.h"

namespace opispool::opi {
namespace {

const std::string composed = "caf\u00E9 gr\u00FC\u00DF.tif";
const std::string decomposed = "cafe\u0301 gru\u0308\u00DF.tif";

TEST(NameEncodings, mac_roman) {
    EXPECT_EQ(utf8_from_mac_roman("caf\x8E gr\x9F\xA7.tif"), composed);
    EXPECT_EQ(utf8_from_mac_roman("\x80\xCA\xDB\xDE\xF0\xFF"), "\u00C4\u00A0\u20AC\uFB01\uF8FF\u02C7");
}

TEST(NameEncodings, mac_roman_keeps_every_byte_apart) {
    std::set<std::string> seen;
    for (int byte = 0; byte < 256; ++byte) {
        const std::string text = utf8_from_mac_roman(std::string(1, static_cast<char>(byte)));
        EXPECT_TRUE(is_valid_utf8(text)) << byte;
        seen.insert(text);
    }
    EXPECT_EQ(seen.size(), 256U);
}

TEST(NameEncodings, cp1252) {
    EXPECT_EQ(utf8_from_cp1252("caf\xE9 gr\xFC\xDF.tif"), composed);
    EXPECT_EQ(utf8_from_cp1252("\x80\x8E\x9F\xA0\xFF"), "\u20AC\u017D\u0178\u00A0\u00FF");
    for (const char* undefined : {"\x81", "\x8D", "\x8F", "\x90", "\x9D"})
        EXPECT_FALSE(utf8_from_cp1252(undefined).has_value());
}

TEST(NameEncodings, nfc_composes_and_leaves_the_rest) {
    EXPECT_EQ(nfc(decomposed), composed);
    EXPECT_EQ(nfc(composed), composed);
    EXPECT_EQ(nfc("plain.tif"), "plain.tif");
    EXPECT_EQ(nfc(""), "");
    EXPECT_EQ(nfc("caf\x8E"), "caf\x8E");
    EXPECT_EQ(nfc("\u1112\u1161\u11AB"), "\uD55C");  // Hangul, as OS X writes it
    EXPECT_NE(nfc("\uFB01"), "fi");
}

TEST(NameEncodings, case_folding_is_letter_by_letter) {
    EXPECT_EQ(case_folded("PIC.Tif"), "pic.tif");
    EXPECT_EQ(case_folded("GRU\u0308N \u00C4\u03A9\u0416"), "gr\u00FCn \u00E4\u03C9\u0436");
    EXPECT_NE(case_folded("Stra\u00DFe"), case_folded("STRASSE"));
    EXPECT_NE(case_folded("\u0130"), "i");
    EXPECT_EQ(case_folded("CAF\x8E"), "caf\x8E");
}

TEST(NameEncodings, hex_groups) {
    EXPECT_EQ(with_hex_groups_decoded("caf<8E>.tif"), "caf\x8E.tif");
    EXPECT_EQ(with_hex_groups_decoded("<c3><A9>"), "\u00E9");
    for (const char* plain : {"", "a.tif", "<8", "<8E", "<>", "<8EF>", "<xy>", "a<b>c"})
        EXPECT_FALSE(with_hex_groups_decoded(plain).has_value()) << plain;
}

TEST(NameEncodings, valid_utf8_has_one_reading) {
    const auto spellings = spellings_of(decomposed);
    ASSERT_EQ(spellings.size(), 1U);
    EXPECT_EQ(spellings[0].bytes, decomposed);
    EXPECT_EQ(spellings[0].nfc, composed);
    EXPECT_EQ(spellings[0].reading, Spelling::Reading::as_written);
}

TEST(NameEncodings, other_bytes_have_up_to_three_readings) {
    EXPECT_EQ(spellings_of("\xE9").size(), 3U);
    EXPECT_EQ(spellings_of("\x8E\x8D").size(), 2U) << "0x8D is nothing in cp1252";
}

TEST(NameEncodings, match_classes) {
    const auto utf8 = spellings_of(composed);
    EXPECT_EQ(match_name(utf8, composed).match, NameMatch::exact);
    EXPECT_EQ(match_name(utf8, decomposed).match, NameMatch::normalized);
    EXPECT_EQ(match_name(utf8, "CAFE\u0301 GR\u00DC\u00DF.TIF").match, NameMatch::caseless);
    EXPECT_EQ(match_name(utf8, "cafe gruss.tif").match, NameMatch::none);
    EXPECT_EQ(match_name(utf8, "caf\x8E gr\x9F\xA7.tif").match, NameMatch::none);
    const auto mac = spellings_of("caf\x8E.tif");
    EXPECT_EQ(match_name(mac, "caf\u00E9.tif").match, NameMatch::exact);
    EXPECT_EQ(match_name(mac, "cafe\u0301.tif").match, NameMatch::exact) << "MacRoman knows no normalization form";
    EXPECT_EQ(match_name(mac, "caf\x8E.tif").match, NameMatch::exact);
    EXPECT_EQ(match_name(mac, "caf\u017D.tif").match, NameMatch::exact) << "the same byte in cp1252";
    EXPECT_NE(match_name(mac, "caf\u017D.tif").reading, match_name(mac, "caf\u00E9.tif").reading);
    EXPECT_EQ(match_name(mac, "CAF\u00C9.tif").match, NameMatch::caseless);
}

}  // namespace
}  // namespace opispool::opi
