// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/dcs_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <initializer_list>

#include "tests/opi/temp_store.h"

namespace opispool::opi {
namespace {

using ::testing::HasSubstr;

DcsComments read(std::initializer_list<const char*> lines) {
    DcsReader reader;
    for (const char* line : lines) reader.take(line);
    return reader.comments();
}

TEST(DcsReader, ObeysTheNamesOfTheComments) {
    const DcsComments dcs = read({"%%CyanPlate: Mac HD:art:car.C", "%%MagentaPlate:(car \\(m\\))",
                                  "%%YellowPlate: car 1.Y ", "%%BlackPlate: car.K"});
    ASSERT_EQ(dcs.plates.size(), 4U);
    EXPECT_EQ(dcs.plates[0].ink, "Cyan");
    EXPECT_EQ(dcs.plates[0].file, "Mac HD:art:car.C");
    EXPECT_EQ(dcs.plates[1].file, "car (m)");
    EXPECT_EQ(dcs.plates[2].file, "car 1.Y");
    EXPECT_TRUE(dcs.problem.empty());
}

TEST(DcsReader, ReadsContinuedPlatesAndColours) {
    const DcsComments dcs = read({"%%CMYKCustomColor: 0 0.91 0.76 0 (PANTONE 185 CVC)", "%%+ 0.1 0 0.2 0 Varnish",
                                  "%%PlateFile: (Cyan) EPS #48000 120000", "%%+ (Black) EPS Local car plate.5",
                                  "%%+ Varnish EPS car.6", "%%EndComments", "%%+ (Yellow) EPS #1 2"});
    ASSERT_EQ(dcs.plates.size(), 3U);
    EXPECT_EQ(dcs.plates[0].offset_bytes, 48000U);
    EXPECT_EQ(dcs.plates[0].length_bytes, 120000U);
    EXPECT_EQ(dcs.plates[1].ink, "Black");
    EXPECT_EQ(dcs.plates[1].file, "car plate.5");
    EXPECT_EQ(dcs.plates[2].file, "car.6");
    EXPECT_DOUBLE_EQ(dcs.cmyk.at("PANTONE 185 CVC")[1], 0.91);
    EXPECT_DOUBLE_EQ(dcs.cmyk.at("Varnish")[2], 0.2);
}

TEST(DcsReader, NamesWhatItCantRead) {
    EXPECT_THAT(read({"%%CyanPlate:"}).problem, HasSubstr("names no file"));
    EXPECT_THAT(read({"%%PlateFile: (Cyan) EPS #12"}).problem, HasSubstr("offset and length"));
    EXPECT_THAT(read({"%%PlateFile: (Cyan) EPS #-5 9"}).problem, HasSubstr("offset and length"));
    EXPECT_THAT(read({"%%PlateFile: (Cyan) PDF a"}).problem, HasSubstr("other than EPS"));
    EXPECT_THAT(read({"%%PlateFile: () EPS a"}).problem, HasSubstr("no ink"));
    EXPECT_THAT(read({"%%PlateFile: (Cyan) EPS a", "%%+ (Cyan) EPS b"}).problem, HasSubstr("twice"));
}

TEST(DcsReader, StopsAtManyPlates) {
    DcsReader reader;
    for (std::size_t i = 0; i <= DcsReader::max_plates; ++i)
        reader.take("%%PlateFile: (" + std::to_string(i) + ") EPS a");
    EXPECT_EQ(reader.comments().plates.size(), DcsReader::max_plates);
    EXPECT_THAT(reader.comments().problem, HasSubstr("too many"));
}

class LocatePlates : public ::testing::Test {
  protected:
    std::shared_ptr<const MappedFile> put(const std::string& bytes) {
        std::ofstream(store_.at("a.eps"), std::ios::binary) << bytes;
        return *MappedFile::open(store_.at("a.eps").string());
    }
    Result<std::vector<LocatedPlate>> locate(const std::string& bytes, const DcsComments& comments,
                                             std::uint64_t section = 0) {
        return locate_plates(put(bytes), section, comments, [](const std::string&) {
            return Result<std::shared_ptr<const MappedFile>>(fail(Code::not_found, Operation::resolve, "is not here"));
        });
    }
    static DcsComments inside(std::uint64_t first, std::uint64_t second, std::uint64_t length) {
        DcsComments comments;
        comments.plates = {{"Cyan", "", first, length}, {"Black", "", second, length}};
        return comments;
    }
    const std::string main_ = "%!PS-Adobe-3.0 EPSF-3.0\n" + std::string(376, 'm');          // 400 bytes
    const std::string plate_ = "%!PS-Adobe-3.0 EPSF-3.0\n" + std::string(175, 'p') + "\n";  // 200 bytes
    testing::TempStore store_;
};

TEST_F(LocatePlates, TakesOffsetsThatAreRight) {
    auto found = locate(main_ + plate_ + plate_, inside(400, 600, 150));
    ASSERT_TRUE(found) << describe(found.error());
    EXPECT_EQ((*found)[0].begin_bytes, 400U);
    EXPECT_EQ((*found)[0].end_bytes, 550U);
    EXPECT_EQ((*found)[1].begin_bytes, 600U);
}

TEST_F(LocatePlates, CutsLengthsAtTheNextPlateAndTheEnd) {
    auto found = locate(main_ + plate_ + plate_ + std::string("\x04\0", 2), inside(400, 600, 100000));
    ASSERT_TRUE(found);
    EXPECT_EQ((*found)[0].end_bytes, 600U);
    EXPECT_EQ((*found)[1].end_bytes, 800U);
}

TEST_F(LocatePlates, KnowsBothBasesOfADosFile) {
    const std::string dos(30, 'd');
    for (const std::uint64_t base : {std::uint64_t{0}, std::uint64_t{30}}) {
        auto found = locate(dos + main_ + plate_ + plate_, inside(400 + base, 600 + base, 200), 30);
        ASSERT_TRUE(found);
        EXPECT_EQ((*found)[1].begin_bytes, 630U);
    }
}

TEST_F(LocatePlates, FindsPlatesNearWrongOffsets) {
    auto found = locate(main_ + plate_ + plate_, inside(400 + 191, 600 + 191 + 83, 283));
    ASSERT_TRUE(found);
    EXPECT_EQ((*found)[0].begin_bytes, 400U);
    EXPECT_EQ((*found)[1].begin_bytes, 600U);
    auto early = locate(main_ + plate_ + plate_, inside(340, 550, 200));
    ASSERT_TRUE(early);
    EXPECT_EQ((*early)[0].begin_bytes, 400U);
    EXPECT_EQ((*early)[1].begin_bytes, 600U);
}

TEST_F(LocatePlates, HoldsWhatItCantTell) {
    EXPECT_THAT(locate(main_ + plate_, inside(400, 430, 100)).error().text, HasSubstr("same byte"));
    EXPECT_THAT(locate(main_ + plate_, inside(400, 99'000, 100)).error().text, HasSubstr("'Black' is not at or near"));
    EXPECT_FALSE(locate(main_ + plate_, inside(400, ~std::uint64_t{0} - 5, 100)));
    EXPECT_FALSE(locate(main_, inside(0, 10, 100)));
    DcsComments apart;
    apart.plates = {{"Cyan", "car.C", 0, 0}};
    EXPECT_THAT(locate(main_, apart).error().text, HasSubstr("'Cyan', file 'car.C': is not here"));
}

}  // namespace
}  // namespace opispool::opi
