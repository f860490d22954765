// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/eps_probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "opi/dcs_file.h"
#include "opi/form_placement.h"
#include "tests/opi/temp_store.h"

namespace opispool::opi {
namespace {

using ::testing::HasSubstr;

Result<ImageInfo> probe(const std::string& bytes) {
    testing::TempStore store;
    std::ofstream(store.at("x.eps"), std::ios::binary) << bytes;
    return probe_eps(*MappedFile::open(store.at("x.eps").string()));
}

const std::string header = "%!PS-Adobe-3.0 EPSF-3.0\n";

TEST(EpsProbe, TakesTheFinerBoxWhereTheyAgree) {
    auto info = probe(header + "%%BoundingBox: 0 0 101 50\n%%HiResBoundingBox: 0.25 0 100.5 49.75\n%%EndComments\n");
    ASSERT_TRUE(info);
    EXPECT_DOUBLE_EQ(info->bounding_box->llx, 0.25);
    auto stale = probe(header + "%%BoundingBox: 0 0 101 50\n%%HiResBoundingBox: 0 0 300 300\n%%EndComments\n");
    EXPECT_DOUBLE_EQ(stale->bounding_box->urx, 101);
}

TEST(EpsProbe, ReadsABoxAtTheEndAndNotThatOfAnEpsInside) {
    auto info =
        probe(header +
              "%%BoundingBox: (atend)\n%%EndComments\n%%BeginDocument: a\n%%BoundingBox: 0 0 9 9\n%%EndDocument\n"
              "%%Trailer\n%%BoundingBox: -50 -50 50 50\n%%EOF\n");
    ASSERT_TRUE(info);
    EXPECT_DOUBLE_EQ(info->bounding_box->llx, -50);
    auto nested = probe("%!PS\n0 setgray\n%%BeginDocument: a\n%%BoundingBox: 0 0 9 9\n%%EndDocument\n");
    ASSERT_FALSE(nested);
}

TEST(EpsProbe, CutsOffTheEnvelope) {
    const std::string eps = header + "%%BoundingBox: 0 0 9 9\n%%EndComments\n";
    const auto u32 = [](std::size_t v) {
        std::string out;
        for (int i = 0; i < 4; ++i) out += static_cast<char>(v >> (8 * i) & 0xFFU);
        return out;
    };
    const std::string dos =
        "\xC5\xD0\xD3\xC6" + u32(30) + u32(eps.size()) + u32(30 + eps.size()) + u32(5) + u32(0) + u32(0) + "\xFF\xFF";
    auto info = probe(dos + eps + "WMF!!");
    ASSERT_TRUE(info);
    EXPECT_EQ(info->eps_begin_bytes, 30U);
    EXPECT_EQ(info->eps_end_bytes, 30 + eps.size());
    auto padded = probe(std::string(128, '\0') + eps + std::string("\x04\x1A\0\0", 4));
    ASSERT_TRUE(padded);
    EXPECT_EQ(padded->eps_begin_bytes, 128U);
    EXPECT_EQ(padded->eps_end_bytes, 128 + eps.size());
}

std::string big_endian(std::uint64_t value, int bytes) {
    std::string out;
    while (bytes-- > 0) out += static_cast<char>(value >> (8 * bytes) & 0xFFU);
    return out;
}

std::string mac_binary(const std::string& data, std::size_t second_header = 0) {
    std::string head(128, '\0');
    head[1] = 5;
    head.replace(2, 5, "a.eps");
    head.replace(83, 4, big_endian(data.size(), 4));
    head.replace(87, 4, big_endian(300, 4));
    head.replace(120, 2, big_endian(second_header, 2));
    const std::size_t padding = (128 - data.size() % 128) % 128;
    return head + std::string((second_header + 127) / 128 * 128, 'h') + data + std::string(padding, '\0') +
           "%!PS of a resource" + std::string(282, 'r');
}

TEST(EpsProbe, TakesTheDataForkOnly) {
    const std::string eps = header + "%%BoundingBox: 0 0 9 9\n%%EndComments\n";
    for (const std::size_t second : {std::size_t{0}, std::size_t{100}}) {
        auto info = probe(mac_binary(eps, second));
        ASSERT_TRUE(info);
        EXPECT_EQ(info->eps_begin_bytes, second == 0 ? 128U : 256U);
        EXPECT_EQ(info->eps_end_bytes, info->eps_begin_bytes + eps.size());
    }
    const auto entry = [](std::uint64_t id, std::uint64_t at, std::uint64_t length) {
        return big_endian(id, 4) + big_endian(at, 4) + big_endian(length, 4);
    };
    const std::string fixed = big_endian(0x00020000, 4) + std::string(16, '\0') + big_endian(2, 2);
    const std::string single = std::string("\0\x05\x16\0", 4) + fixed + entry(2, 50, 3) + entry(1, 53, eps.size());
    auto info = probe(single + "rsr" + eps + "more");
    ASSERT_TRUE(info) << describe(info.error());
    EXPECT_EQ(info->eps_begin_bytes, 53U);
    EXPECT_EQ(info->eps_end_bytes, 53 + eps.size());
    const std::string half = std::string("\0\x05\x16\x07", 4) + fixed + entry(2, 50, 3) + entry(9, 53, eps.size());
    EXPECT_THAT(probe(half + "rsr" + eps).error().text, HasSubstr("AppleDouble"));
    EXPECT_THAT(probe(single + "rsr" + eps.substr(9)).error().text, HasSubstr("AppleDouble"));
}

TEST(EpsProbe, ReadsThePlatesOfADcs) {
    const std::string one = header + "%%BoundingBox: 0 0 9 9\n%%CyanPlate: a.C\n%%EndComments\n%%BlackPlate: no\n";
    auto info = probe(one);
    ASSERT_TRUE(info && info->dcs);
    ASSERT_EQ(info->dcs->plates.size(), 1U);
    EXPECT_EQ(info->dcs->plates[0].file, "a.C");
    EXPECT_FALSE(probe(header + "%%BoundingBox: 0 0 9 9\n%%EndComments\n")->dcs);
    // The plates behind the main document have boxes of their own.
    auto late = probe(header +
                      "%%BoundingBox: (atend)\n%%PlateFile: (Cyan) EPS #200 99\n%%EndComments\n%%Trailer\n"
                      "%%BoundingBox: 0 0 9 9\n%%EOF\n%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 7 7\n%%Trailer\n");
    ASSERT_TRUE(late);
    EXPECT_DOUBLE_EQ(late->bounding_box->urx, 9);
}

TEST(EpsProbe, RefusesWhatHasNoSize) {
    EXPECT_THAT(probe(header + "%%EndComments\n").error().text, HasSubstr("no usable %%BoundingBox"));
    EXPECT_THAT(probe(header + "%%BoundingBox: 5 5 5 9\n").error().text, HasSubstr("no usable %%BoundingBox"));
    EXPECT_THAT(probe("hello").error().text, HasSubstr("no PostScript"));
    EXPECT_THAT(probe("\xC5\xD0\xD3\xC6").error().text, HasSubstr("cut off"));
}

TEST(FormPlacement, ReadsTheIdiomOfAPdfConverter) {
    auto placed = read_form_placement(
        "q\n[1 0 0 1 5 6] cm\n0 0 100 50 re\nW\nq\n[100 0 0 50 0 0] cm\n/DeviceRGB setcolorspace\n<< /ImageType 1");
    ASSERT_TRUE(placed) << describe(placed.error());
    EXPECT_EQ(placed->unit_to_outer, (Matrix{100, 0, 0, 50, 5, 6}));
    ASSERT_EQ(placed->clips.size(), 1U);
    EXPECT_DOUBLE_EQ(placed->clips[0][2].x, 105);
}

TEST(FormPlacement, APlainImageFillsTheUnitSquare) {
    auto placed = read_form_placement(
        "%%BeginIncludedImage\n27 15 8 [27 0 0 -15 0 15] {currentfile 81 string readhexstring pop} false 3 "
        "colorimage\n");
    ASSERT_TRUE(placed);
    EXPECT_EQ(placed->unit_to_outer, Matrix{});
    EXPECT_TRUE(placed->clips.empty());
}

TEST(FormPlacement, RestoresWhatQSaved) {
    EXPECT_EQ(read_form_placement("q 2 0 0 2 0 0 cm Q q 3 0 0 3 0 0 cm image")->unit_to_outer,
              (Matrix{3, 0, 0, 3, 0, 0}));
}

TEST(FormPlacement, GuessesNothing) {
    for (const char* code :
         {"10 10 mytranslate image", "0 0 moveto 5 5 lineto W image", "Q image", "[1 0 0 1] cm image", "q q", ""}) {
        auto placed = read_form_placement(code);
        ASSERT_FALSE(placed) << code;
        EXPECT_THAT(placed.error().text, HasSubstr("%%Distilled"));
    }
}

}  // namespace
}  // namespace opispool::opi
