// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/image_probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/opi/raster_test_support.h"

namespace opispool::opi::test {
namespace {

using ::testing::HasSubstr;

TEST(ImageProbeTest, TiffByContentWhateverItsName) {
    TempDir dir;
    for (const char* mode : {"wl", "wb", "w8"}) {
        TiffSpec spec;
        spec.mode = mode;
        spec.orientation = 6;
        auto info = probe_image(map(write_tiff(dir, spec, "picture.eps")));
        ASSERT_TRUE(info) << describe(info.error());
        EXPECT_EQ(info->kind, ImageKind::tiff);
        EXPECT_EQ(info->width_px, 40U);
        EXPECT_EQ(info->height_px, 30U);
        EXPECT_EQ(info->orientation, 6);
        EXPECT_FALSE(info->is_layout);
    }
}

TEST(ImageProbeTest, ThumbnailsArePassedOverAndLayoutsAreKnown) {
    TempDir dir;
    const std::string path = dir.path("two.tif");
    TIFF* tif = TIFFOpen(path.c_str(), "w");
    ASSERT_NE(tif, nullptr);
    const TIFFFieldInfo proxy{351, 1, 1, TIFF_SHORT, FIELD_CUSTOM, 0, 0, const_cast<char*>("OPIProxy")};
    for (std::uint32_t size : {4U, 10U}) {
        TIFFMergeFieldInfo(tif, &proxy, 1);  // forgotten with each directory
        TIFFSetField(tif, TIFFTAG_SUBFILETYPE, size == 4U ? FILETYPE_REDUCEDIMAGE : 0);
        TIFFSetField(tif, TIFFTAG_IMAGEWIDTH, size);
        TIFFSetField(tif, TIFFTAG_IMAGELENGTH, size);
        TIFFSetField(tif, TIFFTAG_BITSPERSAMPLE, 8);
        TIFFSetField(tif, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
        if (size == 10U) TIFFSetField(tif, 351, 1);
        std::vector<std::uint8_t> row(size, 9);
        for (std::uint32_t y = 0; y < size; ++y) ASSERT_EQ(TIFFWriteScanline(tif, row.data(), y, 0), 1);
        TIFFWriteDirectory(tif);
    }
    TIFFClose(tif);
    auto info = probe_image(map(path));
    ASSERT_TRUE(info) << describe(info.error());
    EXPECT_EQ(info->width_px, 10U);
    EXPECT_TRUE(info->is_layout);
    EXPECT_EQ(emit(path)->passed_bytes(), 100U);
}

TEST(ImageProbeTest, JpegWithExifOrientation) {
    TempDir dir;
    JpegSpec spec;
    for (bool big : {false, true}) {
        const std::string little_exif("Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x08\0\0\0\0\0\0\0", 32);
        const std::string big_exif("Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x08\0\0\0\0\0\0", 32);
        spec.exif = big ? big_exif : little_exif;
        auto info = probe_image(map(write_jpeg(dir, spec)));
        ASSERT_TRUE(info) << describe(info.error());
        EXPECT_EQ(info->kind, ImageKind::jpeg);
        EXPECT_EQ(info->width_px, 48U);
        EXPECT_EQ(info->height_px, 32U);
        EXPECT_EQ(info->orientation, 8);
    }
}

TEST(ImageProbeTest, EpsWithRubbishInFront) {
    TempDir dir;
    const std::string eps = "%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 20\n%%EndComments\nshowpage\n";
    for (const std::string& front : {std::string(), std::string("\x04"), std::string(100, '\n')}) {
        write_file(dir.path("a.tif"), front + eps);
        auto info = probe_image(map(dir.path("a.tif")));
        ASSERT_TRUE(info) << describe(info.error());
        EXPECT_EQ(info->kind, ImageKind::eps);
    }
}

TEST(ImageProbeTest, OtherFilesAreNamed) {
    TempDir dir;
    auto text_for = [&](const std::string& bytes) {
        write_file(dir.path("x"), bytes);
        auto info = probe_image(map(dir.path("x")));
        return info ? std::string() : info.error().text;
    };
    EXPECT_THAT(text_for(""), HasSubstr("the file is empty"));
    EXPECT_THAT(text_for("\x89PNG\r\n"), HasSubstr("PNG"));
    EXPECT_THAT(text_for("%PDF-1.4\n"), HasSubstr("PDF"));
    EXPECT_THAT(text_for("hello"), HasSubstr("not a TIFF, JPEG or EPS"));
    EXPECT_THAT(text_for("II*"), HasSubstr("not a TIFF, JPEG or EPS"));
}

}  // namespace
}  // namespace opispool::opi::test
