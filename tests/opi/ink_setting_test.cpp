// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/ink_setting.h"

#include <gtest/gtest.h>

namespace opispool::opi {
namespace {

TEST(InkSetting, TakesNameAndFourNumbersInBothForms) {
    for (const char* text : {"PANTONE 185 C 0 0.91 0.76 0", "PANTONE 185 C=0,0.91,0.76,0",
                             " PANTONE 185 C = 0 0.91 0.76 0 ", "PANTONE 185 C = 0, .91, 0.760, 0.0"}) {
        const auto ink = parse_ink_setting(text);
        ASSERT_TRUE(ink) << text;
        EXPECT_EQ(ink->name, "PANTONE 185 C") << text;
        EXPECT_EQ(ink->cmyk, (std::array<double, 4>{0, 0.91, 0.76, 0})) << text;
        EXPECT_EQ(to_string(*ink), "PANTONE 185 C 0 0.91 0.76 0");
    }
    EXPECT_EQ(parse_ink_setting("HKS 4 1 1 1 0.5")->name, "HKS 4");
    EXPECT_EQ(parse_ink_setting("a=b,c=1,1,1,1")->name, "a=b,c");
}

TEST(InkSetting, RefusesWhatIsNoInk) {
    for (const char* text : {"", "Gold", "Gold 1 1 1", "0 0 0 0", "Gold 0 0 0 2", "Gold 0 0 0 -1", "Gold=0=0=0=0",
                             "Gold 0 0 x 0", "Black 0 0 0 1", "All 1 1 1 1", "Gold=0,,0,0"}) {
        const auto ink = parse_ink_setting(text);
        ASSERT_FALSE(ink) << text;
        EXPECT_EQ(ink.error().code, Code::bad_syntax);
    }
}

}  // namespace
}  // namespace opispool::opi
