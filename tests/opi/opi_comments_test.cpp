// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/opi_comments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opispool::opi {
namespace {

OpiComments parse_1_3(std::vector<RawComment> raw) {
    return parse_opi_comments(OpiVersion::v1_3, raw);
}
OpiComments parse_2_0(std::vector<RawComment> raw) {
    return parse_opi_comments(OpiVersion::v2_0, raw);
}

TEST(OpiComments, ReadsNamesRawAndQuoted) {
    EXPECT_EQ(decode_text_value("Vol:a b.tif "), "Vol:a b.tif ");
    EXPECT_EQ(decode_text_value("(Vol:pic \\(1\\).tif)"), "Vol:pic (1).tif");
    EXPECT_EQ(decode_text_value("(C:\\\\Bilder\\\\gr\\374n.tif)"), "C:\\Bilder\\gr\xFCn.tif");
    EXPECT_EQ(decode_text_value("(pic (1).tif)"), "pic (1).tif");
    EXPECT_EQ(decode_text_value("(a) b"), "(a) b");
}

TEST(OpiComments, TakesAnyOrderAndCase) {
    const OpiComments read = parse_1_3({{"%aldimageposition", "0 0 0 1 1.5 1e0 +2 0"},
                                        {"%ALDImageFileName", "a.tif"},
                                        {"%ALDImageDimensions", "\t16   8 "},
                                        {"%ALDImageCropRect", "0 0 16 8"},
                                        {"%ALDImageCropFixed", "0.5 0 15.25 8"},
                                        {"%ALDImageTint", "50"},
                                        {"%ALDImageOverprint", "TRUE"}});
    EXPECT_TRUE(read.problems.empty());
    EXPECT_EQ(read.filename, "a.tif");
    EXPECT_DOUBLE_EQ(read.dimensions->width, 16);
    EXPECT_DOUBLE_EQ(read.crop_fixed->right, 15.25);
    EXPECT_DOUBLE_EQ((*read.position)[6], 2);
    EXPECT_DOUBLE_EQ(*read.tint, 0.5);
    EXPECT_TRUE(*read.overprint);
}

TEST(OpiComments, AValueThatCannotBeReadIsAProblemAndNoDefault) {
    const struct {
        const char *key, *value, *problem;
    } cases[] = {{"%ALDImageCropRect", "a b c d", "ImageCropRect 'a b c d' is not four numbers"},
                 {"%ALDImageCropRect", "1 2 3", "ImageCropRect"},
                 {"%ALDImagePosition", "1 2 3 4 5 6 7", "eight numbers"},
                 {"%ALDImagePosition", "1 2 3 4 5 6 7 nan", "eight numbers"},
                 {"%ALDImageDimensions", "0 5", "above zero"},
                 {"%ALDImageTint", "x", "ImageTint"},
                 {"%ALDImageOverprint", "maybe", "true or false"},
                 {"%ALDImageGrayMap", "0 1 2", "2, 16 or 256"},
                 {"%ALDImageGrayMap", "0 70000", "0..65535"},
                 {"%ALDImageColor", "0 0 0 (Black)", "four inks"}};
    for (const auto& one : cases) {
        const OpiComments read = parse_1_3({{one.key, one.value}});
        ASSERT_EQ(read.problems.size(), 1U) << one.key << " " << one.value;
        EXPECT_THAT(read.problems[0], testing::HasSubstr(one.problem));
    }
}

TEST(OpiComments, KnowsKeywordsFromLookAlikes) {
    EXPECT_TRUE(is_opi_1_3_keyword("%ALDImageResoution"));
    EXPECT_FALSE(is_opi_1_3_keyword("%ALDFontName"));
    EXPECT_TRUE(is_opi_2_0_keyword("%%imagefilename"));
    EXPECT_FALSE(is_opi_2_0_keyword("%%ImageFileNames"));
}

TEST(OpiComments, ColourOfOneThree) {
    const auto colour = [](const char* type, const char* value) {
        return colour_request(
            parse_1_3({{"%ALDImageColorType", type}, {"%ALDImageColor", value}, {"%ALDImageTint", "0.4"}}));
    };
    EXPECT_EQ(colour("Process", "0 0 0 1 (Process Black)").kind, ColourRequest::Kind::none);
    EXPECT_EQ(colour("Spot", "0 0 0 1 (Black)").kind, ColourRequest::Kind::none);
    EXPECT_EQ(colour("Process", "0 1 0.5 0.1 (Brick)").kind, ColourRequest::Kind::process);
    const ColourRequest spot = colour("Separation", "0 .9 .8 0 (PANTONE 185 \\(C\\))");
    EXPECT_EQ(spot.kind, ColourRequest::Kind::spot);
    EXPECT_EQ(spot.spot_name, "PANTONE 185 (C)");
    EXPECT_DOUBLE_EQ(spot.tint, 0.4);
    EXPECT_EQ(colour("Spot", "1 0 0 0 (Process Cyan)").spot_name, "Cyan");
    EXPECT_EQ(colour("Spot", "1 1 1 1 (All)").kind, ColourRequest::Kind::registration);
    EXPECT_EQ(colour("Spot", "0 .5 0 0 Rose").spot_name, "Rose");
    EXPECT_EQ(colour_request(parse_1_3({})).kind, ColourRequest::Kind::none);
    EXPECT_FALSE(colour_request(parse_1_3({})).overprint.has_value());
}

TEST(OpiComments, InksOfTwoZero) {
    const OpiComments read = parse_2_0({{"%%ImageInks", "monochrome 2 (PANTONE 123 CV) 1 (Black) 0.5"}});
    EXPECT_TRUE(read.problems.empty());
    const ColourRequest request = colour_request(read);
    ASSERT_EQ(request.inks.size(), 2U);
    EXPECT_EQ(request.inks[0].name, "PANTONE 123 CV");
    EXPECT_DOUBLE_EQ(request.inks[1].level, 0.5);
    EXPECT_EQ(colour_request(parse_2_0({{"%%ImageInks", "registration"}})).kind, ColourRequest::Kind::registration);
    EXPECT_EQ(colour_request(parse_2_0({{"%%ImageInks", "full_color"}})).kind, ColourRequest::Kind::none);
    for (const char* bad : {"monochrome", "monochrome 2 (A) 1", "monochrome 1 (A) 3", "rainbow", ""})
        EXPECT_EQ(parse_2_0({{"%%ImageInks", bad}}).problems.size(), 1U) << bad;
}

}  // namespace
}  // namespace opispool::opi
