// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/plate_raster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/opi/temp_store.h"

namespace opispool::opi {
namespace {

using ::testing::HasSubstr;

class PlateRasterTest : public ::testing::Test {
  protected:
    Result<PlateRaster> read(const std::string& program) {
        std::ofstream(store_.at("p.eps"), std::ios::binary) << program;
        LocatedPlate plate{"Cyan", *MappedFile::open(store_.at("p.eps").string()), 0, program.size()};
        return read_plate_raster(plate);
    }
    std::string samples(const Result<PlateRaster>& raster) {
        if (!raster) return describe(raster.error());
        auto reader = raster->rows->open();
        std::string out(static_cast<std::size_t>(raster->rows->length_bytes()) + 10, '\0');
        auto got = (*reader)->read(std::as_writable_bytes(std::span(out)));
        if (!got) return describe(got.error());
        out.resize(*got);
        return out;
    }
    std::string error(const std::string& program) {
        auto raster = read(program);
        return raster ? "read" : raster.error().text;
    }
    testing::TempStore store_;
};

const std::string image = "gsave 4 2 scale 2 2 8 [2 0 0 -2 0 2] ";
const std::string end = "grestore showpage %%EOF\n";

TEST_F(PlateRasterTest, ReadsEveryWayOfWritingSamples) {
    EXPECT_EQ(samples(read(image + "{currentfile 2 string readhexstring pop} image\n41 42\n4344\n" + end)), "ABCD");
    EXPECT_EQ(samples(read(image + "{currentfile 2 string readstring pop} image\nABCD" + end)), "ABCD");
    EXPECT_EQ(
        samples(read("/s 3 string def " + image + "{currentfile s readhexstring pop} bind image 414243444546 " + end)),
        "ABCD");
    EXPECT_EQ(samples(read(image + "currentfile /ASCIIHexDecode filter image 41424344> " + end)), "ABCD");
    EXPECT_EQ(samples(read(image + "currentfile /ASCII85Decode filter image 5sdq,~> " + end)), "ABCD");
    EXPECT_EQ(
        samples(read(image + "currentfile /ASCII85Decode filter /RunLengthDecode filter image\n\"$o7@7\">~>" + end)),
        "ABCD");
    EXPECT_EQ(samples(read(image + "currentfile /RunLengthDecode filter image\n" +
                           "\xFD"
                           "A"
                           "\x80" +
                           end)),
              "AAAA");
    EXPECT_EQ(samples(read("/d 4 dict def d begin /f currentfile 4 () /SubFileDecode filter def end " + image +
                           "d /f get image\nABCD" + end)),
              "ABCD");
    EXPECT_EQ(samples(read("gsave << /ImageType 1 /Width 1 /Height 2 /BitsPerComponent 8 /ImageMatrix [1 0 0 -2 0 2] "
                           "/Decode [1 0] /DataSource currentfile /ASCIIHexDecode filter >> image 00FE>" +
                           end)),
              "\xFF\x01");
}

TEST_F(PlateRasterTest, FollowsTheMatrix) {
    auto raster = read("2 3 translate [0 1 -1 0 0 0] concat " + image +
                       "{currentfile 2 string readhexstring pop} image 41424344 " + end);
    ASSERT_TRUE(raster) << describe(raster.error());
    const Point corner = raster->unit_to_eps.apply({1, 0});
    EXPECT_NEAR(corner.x, 2, 1e-9);
    EXPECT_NEAR(corner.y, 7, 1e-9);
}

TEST_F(PlateRasterTest, RunsConditionsAndDefinitions) {
    const std::string code =
        "/level2 systemdict /languagelevel known {languagelevel 2 ge} {false} ifelse def /deviceinfo where {pop bad} "
        "if\n"
        "/im /image load def 10 dict begin /w 2 def /read {currentfile 2 string readhexstring pop} bind def\n"
        "w level2 {1 mul} {worse} ifelse dup w eq not {wrong} if /h exch def 1 2 3 3 -1 roll pop pop pop mark 1 "
        "cleartomark\n";
    EXPECT_EQ(samples(read(code + "gsave w h scale w h 8 [w 0 0 h neg 0 h] {read} im 41424344 end " + end)), "ABCD");
}

TEST_F(PlateRasterTest, NamesWhatItDoesNotProve) {
    EXPECT_THAT(error("0 0 1 1 rectfill"), HasSubstr("'rectfill'"));
    EXPECT_THAT(error("{1 exch sub} settransfer"), HasSubstr("'settransfer'"));
    EXPECT_THAT(error("gsave " + end), HasSubstr("draws no picture"));
    EXPECT_THAT(error(image + "{currentfile 2 string readhexstring pop} imagemask 41"), HasSubstr("'imagemask'"));
    EXPECT_THAT(error(image + "{myread} image 41"), HasSubstr("data source"));
    EXPECT_THAT(error(image + "{currentfile 2 string readhexstring pop} image 414243"), HasSubstr("ends after 3 of 4"));
    EXPECT_THAT(error("/Symbol findfont"), HasSubstr("'findfont'"));
    EXPECT_THAT(error("{ 1 2 ("), HasSubstr("no readable program"));
    EXPECT_THAT(error("currentfile closefile"), HasSubstr("'closefile'"));
    EXPECT_THAT(error("2.5 4 8 [2 0 0 -2 0 2] {currentfile 2 string readhexstring pop} image 41"),
                HasSubstr("'image'"));
    EXPECT_THAT(error("2 2 8 [0 0 0 0 0 2] {currentfile 2 string readhexstring pop} image 41"), HasSubstr("'image'"));
}

TEST_F(PlateRasterTest, StaysBounded) {
    EXPECT_THAT(error("/f {f f} def f"), HasSubstr("nested too deep"));
    EXPECT_THAT(error("/a /b load def /b {a a} def /c {1 c} def c"), HasSubstr("nested too deep"));
    std::string many;
    for (int i = 0; i < 2000; ++i) many += "1 ";
    EXPECT_THAT(error(many), HasSubstr("operands"));
    std::string deep = "/a {1 pop} def ";
    for (char c = 'b'; c < 'z'; ++c) {
        const std::string before(1, static_cast<char>(c - 1));
        deep += std::string("/") + c + " {" + before + " " + before + " " + before + "} def ";
    }
    EXPECT_THAT(error(deep + "y"), HasSubstr("more words"));
    EXPECT_THAT(error("1e300 dup mul"), HasSubstr("out of range"));
    EXPECT_THAT(error("currentdict /x currentdict put /d 3 dict def d /d d put"), HasSubstr("no picture"));
}

}  // namespace
}  // namespace opispool::opi
