// SPDX-License-Identifier: AGPL-3.0-or-later
// Rows of pictures that are decoded on our side, by one thread and by a crew, beside the samples they were made of.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "opi/emit/tiff_decoder.h"
#include "opi/emit/tiff_model.h"
#include "tests/opi/raster_test_support.h"

namespace opispool::opi::test {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t crew_bytes = std::size_t{8} << 20U;

std::shared_ptr<const ByteSupply> rows_of(const std::string& path, const std::shared_ptr<WorkCrew>& crew,
                                          std::uint32_t first_row = 0) {
    const auto file = map(path);
    auto directory = read_tiff_directory(*file, TiffDetail::complete);
    Warnings warnings;
    if (!directory) return nullptr;
    auto model = classify_tiff(*file, *directory, warnings);
    if (!model) return nullptr;
    const std::uint32_t rows = directory->height_px - first_row;
    return make_tiff_rows(file, std::make_shared<TiffDirectory>(std::move(*directory)), model->format, first_row, rows,
                          false, crew);
}

Result<std::string> read_all(const ByteSupply& supply, std::size_t step) {
    auto reader = supply.open();
    if (!reader) return fail(std::move(reader.error()));
    std::string out, block(step, '\0');
    for (;;) {
        auto got = (*reader)->read(std::as_writable_bytes(std::span(block)));
        if (!got) return fail(std::move(got.error()));
        if (*got == 0) return out;
        out += block.substr(0, *got);
    }
}

std::string truth(const TiffSpec& spec) {
    std::string out;
    for (std::uint32_t y = 0; y < spec.height; ++y)
        for (std::uint32_t x = 0; x < spec.width; ++x)
            for (std::uint32_t c = 0; c < spec.samples; ++c) {
                const std::uint32_t value = sample(spec, x, y, c);
                out += static_cast<char>(spec.bits == 16 ? (value * 255 + 32767) / 65535 : value);
            }
    return out;
}

TiffSpec picture(std::uint16_t compression, std::uint16_t bits) {
    TiffSpec spec;
    // Some lots of 256 KB, the last of them incomplete, and a strip and tiles that hang over the edges.
    spec.width = 517;
    spec.height = 301;
    spec.samples = 4;
    spec.photometric = PHOTOMETRIC_SEPARATED;
    spec.compression = compression;
    spec.bits = bits;
    return spec;
}

void expect_rows(const TempDir& dir, const TiffSpec& spec, const std::string& all, const std::string& what) {
    const std::string path = write_tiff(dir, spec);
    for (const auto& crew : {std::shared_ptr<WorkCrew>(), std::make_shared<WorkCrew>(3, crew_bytes)}) {
        for (std::uint32_t first_row : {0U, 32U}) {
            const auto rows = rows_of(path, crew, first_row);
            ASSERT_NE(rows, nullptr) << what;
            const auto read = read_all(*rows, 70'001);
            ASSERT_TRUE(read) << what << ": " << describe(read.error());
            EXPECT_EQ(read->size(), rows->length_bytes()) << what;
            EXPECT_TRUE(*read == all.substr(std::size_t{first_row} * spec.width * spec.samples))
                << what << (crew ? " by a crew" : " alone");
        }
    }
}

void expect_all_layouts(const TempDir& dir, TiffSpec spec, const std::string& all, const std::string& what) {
    for (std::uint16_t planar : std::initializer_list<std::uint16_t>{PLANARCONFIG_CONTIG, PLANARCONFIG_SEPARATE})
        for (std::uint32_t tile : {0U, 32U}) {
            spec.planar = planar;
            spec.tile = tile;
            expect_rows(dir, spec, all, what + "/" + std::to_string(planar) + "/" + std::to_string(tile));
        }
}

TEST(TiffRowsTest, EveryCodingAndLayoutGivesTheSamplesOfThePicture) {
    TempDir dir;
    for (std::uint16_t bits : std::initializer_list<std::uint16_t>{8, 16}) {
        const std::string all = truth(picture(COMPRESSION_NONE, bits));
        for (std::uint16_t compression : std::initializer_list<std::uint16_t>{
                 COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE, COMPRESSION_PACKBITS}) {
            TiffSpec spec = picture(compression, bits);
            const std::string what = std::to_string(compression) + "/" + std::to_string(bits);
            spec.mode = "wl";
            expect_all_layouts(dir, spec, all, what);
            if (bits == 16) spec.mode = "wb";
            if (compression == COMPRESSION_LZW || compression == COMPRESSION_ADOBE_DEFLATE) spec.predictor = 2;
            expect_all_layouts(dir, spec, all, what + " again");
        }
    }
}

TEST(TiffRowsTest, PredictorsOfAnyNumberOfSamplesAreUndone) {
    TempDir dir;
    for (std::uint16_t samples : std::initializer_list<std::uint16_t>{1, 2, 3, 5})
        for (std::uint16_t bits : {std::uint16_t{8}, std::uint16_t{16}}) {
            TiffSpec spec = picture(COMPRESSION_LZW, bits);
            spec.samples = samples;
            spec.photometric = samples < 3 ? PHOTOMETRIC_MINISBLACK : PHOTOMETRIC_RGB;
            const std::uint16_t colours = samples < 3 ? 1 : 3;
            spec.extra_samples.assign(samples - colours, EXTRASAMPLE_UNASSALPHA);
            spec.predictor = 2;
            const std::string path = write_tiff(dir, spec);
            const auto rows = rows_of(path, nullptr);
            ASSERT_NE(rows, nullptr);
            const auto read = read_all(*rows, 4096);
            ASSERT_TRUE(read) << describe(read.error());
            const std::string all = truth(spec);
            std::string sent;
            for (std::size_t i = 0; i < all.size(); i += samples) sent += all.substr(i, colours);
            EXPECT_TRUE(*read == sent) << samples << "/" << bits;
        }
}

TEST(TiffRowsTest, HugeStripsAndSmallOnesGiveTheSameRows) {
    TempDir dir;
    TiffSpec spec = picture(COMPRESSION_LZW, 8);
    spec.width = 2100;
    spec.height = 600;
    const std::string small = write_tiff(dir, spec, "small.tif");
    spec.rows_per_strip = 600;  // 5 MB
    const std::string huge = write_tiff(dir, spec, "huge.tif");
    const auto crew = std::make_shared<WorkCrew>(2, crew_bytes);
    EXPECT_TRUE(*read_all(*rows_of(small, crew), 1U << 20U) == truth(spec));
    EXPECT_TRUE(*read_all(*rows_of(huge, crew), 1U << 20U) == truth(spec));
}

// An end code right at the start of a block.
void cut_block(const std::string& path, std::uint32_t block) {
    std::uint64_t offset = 0;
    {
        TIFF* tif = TIFFOpen(path.c_str(), "r");
        ASSERT_NE(tif, nullptr);
        offset = TIFFGetStrileOffset(tif, block);
        TIFFClose(tif);
    }
    std::string bytes = read_file(path);
    bytes.replace(static_cast<std::size_t>(offset), 3, std::string("\x80\x40\x40", 3));
    write_file(path, bytes);
}

TEST(TiffRowsTest, ABrokenBlockIsNamedAfterTheRowsBeforeIt) {
    TempDir dir;
    for (std::uint32_t tile : {0U, 32U})
        for (const auto& crew : {std::shared_ptr<WorkCrew>(), std::make_shared<WorkCrew>(3, crew_bytes)}) {
            TiffSpec spec = picture(COMPRESSION_LZW, 16);
            spec.tile = tile;
            const std::string path = write_tiff(dir, spec);
            // Two of them: the first is told, though the other may be found out before.
            const std::uint32_t first = tile == 0 ? 30 : 100, second = tile == 0 ? 34 : 101;
            cut_block(path, first);
            cut_block(path, second);
            const auto rows = rows_of(path, crew);
            auto reader = rows->open();
            ASSERT_TRUE(reader);
            std::string line(std::size_t{517} * 4, '\0'), before;
            Result<std::size_t> got = std::size_t{1};
            while (got && *got > 0) {
                got = (*reader)->read(std::as_writable_bytes(std::span(line)));
                if (got) before += line.substr(0, *got);
            }
            ASSERT_FALSE(got);
            EXPECT_THAT(describe(got.error()), HasSubstr(path));
            EXPECT_THAT(got.error().text,
                        HasSubstr(tile == 0 ? "strip 31 of 38 ends after 0 of 8 rows" : "tile 101 of 170 "));
            EXPECT_GT(before.size(), 0U);
            EXPECT_TRUE(truth(spec).starts_with(before));
        }
}

TEST(TiffRowsTest, AReaderThatIsGivenUpGivesItsMemoryBack) {
    TempDir dir;
    const std::string path = write_tiff(dir, picture(COMPRESSION_LZW, 8));
    const auto crew = std::make_shared<WorkCrew>(2, crew_bytes);
    for (int i = 0; i < 20; ++i) {
        const auto rows = rows_of(path, crew);
        auto reader = rows->open();
        ASSERT_TRUE(reader);
        std::string block(1000, '\0');
        ASSERT_TRUE((*reader)->read(std::as_writable_bytes(std::span(block))));
        EXPECT_FALSE(crew->take_ahead(crew_bytes));
    }
    EXPECT_TRUE(crew->take_ahead(crew_bytes));
}

TEST(TiffRowsTest, StripsThatPassAreProvedByACrewAsByOneThread) {
    TempDir dir;
    for (std::uint16_t compression : std::initializer_list<std::uint16_t>{COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE,
                                                                          COMPRESSION_PACKBITS, COMPRESSION_JPEG}) {
        TiffSpec spec = picture(compression, 8);
        spec.samples = 3;
        spec.photometric = PHOTOMETRIC_RGB;
        const std::string path = write_tiff(dir, spec);
        EmitOptions alone, many;
        many.profile.crew = std::make_shared<WorkCrew>(3, crew_bytes);
        const auto one = emit(path, alone), other = emit(path, many);
        ASSERT_TRUE(one) << describe(one.error());
        ASSERT_TRUE(other) << describe(other.error());
        EXPECT_GT(one->passed_bytes(), 0U) << compression;
        EXPECT_EQ(one->bytes, other->bytes) << compression;
        if (compression == COMPRESSION_PACKBITS || compression == COMPRESSION_JPEG) continue;
        cut_block(path, 20);
        cut_block(path, 21);
        const std::string complaint = refusal(path, alone);
        EXPECT_THAT(complaint, HasSubstr("strip 21 of 38 ends after "));
        EXPECT_EQ(refusal(path, many), complaint);
    }
}

}  // namespace
}  // namespace opispool::opi::test
