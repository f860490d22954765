// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/gs/measure_records.h"

#include <gtest/gtest.h>

#include <string>

#include "opi/measured_placement.h"

namespace opispool::opi {
namespace {

const std::string device = "20:0 0 0 -20 0 16840";
const std::string page_clip = "| m 0 0 l 595 0 l 595 842 l 0 842 h";
const std::string begin = "B 0 " + device + " " + device + " " + page_clip + "\n";
// 4 by 3 samples on the square 100 200 150 250.
const std::string image = "I 0 4 3 4 0 0 -3 0 3 1000 0 0 -1000 2000 12840 " + page_clip + "\n";
const std::vector<ByteRange> bodies{{10, 20}};

Result<Measurements> parse(const std::string& text) {
    return parse_measure_records(text, bodies);
}

TEST(MeasureRecords, GiveThePlaceOfAPicture) {
    const auto answer = parse(begin + image + "E 0\nended\n");
    ASSERT_TRUE(answer);
    const auto& passes = answer->passes.at(10);
    ASSERT_EQ(passes.size(), 1U);
    const auto picture = measured_picture(passes);
    ASSERT_TRUE(picture) << picture.error().text;
    const Point corner = picture->unit_to_mark.apply({1, 1});
    EXPECT_NEAR(corner.x, 150, 1e-6);
    EXPECT_NEAR(corner.y, 250, 1e-6);
    EXPECT_TRUE(picture->clip.empty());
}

TEST(MeasureRecords, AnAnswerWithoutItsEndIsNone) {
    EXPECT_FALSE(parse(""));
    EXPECT_FALSE(parse(begin + image + "E 0\n"));
    EXPECT_FALSE(parse(begin + image + "E 0\nended"));
}

TEST(MeasureRecords, TellsWhyTheRunFailed) {
    const auto answer = parse(begin + "failed undefined in foo\n");
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->trouble, "PostScript error: undefined in foo");
    EXPECT_TRUE(answer->passes.empty());
}

TEST(MeasureRecords, LeavesOutWhatDoesNotParse) {
    const std::vector<std::string> all{"B 7 " + device + " " + device + " |\n",
                                       std::string("B 0 1 2 3\n"),
                                       std::string("E 0\n"),
                                       std::string("I\n"),
                                       "B 0.5 " + device + " " + device + " |\n",
                                       "B 0 0 0 0 0 0 0 " + device + " |\n",
                                       std::string("E -1\n"),
                                       "B 0 nan 0 0 1 0 0 " + device + " |\n",
                                       std::string("X 0 0\n"),
                                       image};
    for (const std::string& bad : all) {
        const auto answer = parse(bad + "ended\n");
        ASSERT_TRUE(answer) << bad;
        EXPECT_TRUE(answer->passes.empty()) << bad;
    }
}

TEST(MeasuredPlacement, ImagesOverOneAnotherAreNoSinglePicture) {
    const std::string moved = "I 0 4 3 4 0 0 -3 0 3 1000 0 0 -1000 2400 12840 " + page_clip + "\n";
    const auto shifted = parse(begin + image + moved + "E 0\nended\n");
    ASSERT_TRUE(shifted);
    EXPECT_FALSE(measured_picture(shifted->passes.at(10)));
    const auto again = parse(begin + image + image + "E 0\nended\n");
    ASSERT_TRUE(again);
    EXPECT_TRUE(measured_picture(again->passes.at(10)));
}

TEST(MeasuredPlacement, TellsAPlaceThatDiffers) {
    const auto answer = parse(begin + image + "E 0\nended\n");
    ASSERT_TRUE(answer);
    const Matrix right{50, 0, 0, 50, 100, 200}, wrong{50, 0, 0, 50, 180, 200};
    EXPECT_EQ(check_measured_position(answer->passes.at(10), right, right).verdict, Verdict::agrees);
    const auto check = check_measured_position(answer->passes.at(10), wrong, wrong);
    EXPECT_EQ(check.verdict, Verdict::differs);
    EXPECT_NE(check.text.find("the job draws it at 100 200 to 150 250"), std::string::npos) << check.text;
    EXPECT_EQ(check_measured_position({}, wrong, wrong).verdict, Verdict::no_opinion);
}

}  // namespace
}  // namespace opispool::opi
