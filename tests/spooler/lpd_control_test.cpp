// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/intake/lpd_control.h"

#include <gtest/gtest.h>

namespace opispool::spooler {
namespace {

TEST(LpdControl, ReadsEveryLineEnding) {
    for (const std::string end : {"\n", "\r", "\r\n"}) {
        const LpdControl control = parse_lpd_control("Hmac1" + end + "Panna" + end + "JCover" + end + "ldfA001mac1" +
                                                     end + "UdfA001mac1" + end + "Ncover.ps" + end);
        EXPECT_EQ(control.host, "mac1");
        EXPECT_EQ(control.user, "anna");
        EXPECT_EQ(control.title, "Cover");
        ASSERT_EQ(control.prints.size(), 1U);
        EXPECT_EQ(control.prints[0].file, "dfA001mac1");
        EXPECT_EQ(control.prints[0].format, 'l');
        EXPECT_EQ(control.prints[0].copies, 1);
    }
}

TEST(LpdControl, CountsCopiesWhateverTheFormat) {
    const LpdControl control = parse_lpd_control("fdfA1\nfdfA1\nldfA1\nfdfB1\n");
    ASSERT_EQ(control.prints.size(), 2U);
    EXPECT_EQ(control.prints[0].copies, 3);
    EXPECT_EQ(control.prints[0].format, 'f');
    EXPECT_EQ(control.prints[1].file, "dfB1");
    std::string many;
    for (int i = 0; i < 1000; ++i) many += "fdfA1\n";
    EXPECT_EQ(parse_lpd_control(many).prints[0].copies, lpd_max_copies);
}

TEST(LpdControl, TakesTheFileNameWhenThereIsNoTitle) {
    EXPECT_EQ(parse_lpd_control("Nfirst.ps\nNsecond.ps\n").title, "first.ps");
    EXPECT_EQ(parse_lpd_control("Nfirst.ps\nJTitle\n").title, "Title");
}

TEST(LpdControl, MakesTextPrintableAndShort) {
    const LpdControl control = parse_lpd_control("J\x1b[2J\xff\nP" + std::string(5000, 'x') + "\n");
    EXPECT_EQ(control.title, "\\x1B[2J\\xFF");
    EXPECT_EQ(control.user.size(), 255U);
}

TEST(LpdControl, SurvivesRubbish) {
    EXPECT_TRUE(parse_lpd_control("").prints.empty());
    EXPECT_TRUE(parse_lpd_control("\n\n\r\nf\nS12 345\nU/etc/hostname\n").prints.empty());
    EXPECT_EQ(parse_lpd_control(std::string("Pa\0b\n", 5)).user, "a\\x00b");
}

}  // namespace
}  // namespace opispool::spooler
