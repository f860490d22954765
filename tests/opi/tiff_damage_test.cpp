// SPDX-License-Identifier: AGPL-3.0-or-later
// Damaged TIFF files: each is refused before byte one, with a sentence that says what is wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "tests/opi/raster_test_support.h"

namespace opispool::opi::test {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::uint32_t number_at(const std::string& bytes, std::size_t at, std::size_t size) {
    std::uint32_t out = 0;
    for (std::size_t i = size; i-- > 0;) out = out << 8U | static_cast<unsigned char>(bytes[at + i]);
    return out;
}

// Offset of a tag's entry in the first directory of a little-endian classic file.
std::size_t entry_of(const std::string& bytes, std::uint16_t tag) {
    const std::size_t ifd = number_at(bytes, 4, 4);
    const std::size_t count = number_at(bytes, ifd, 2);
    for (std::size_t i = 0; i < count; ++i)
        if (number_at(bytes, ifd + 2 + i * 12, 2) == tag) return ifd + 2 + i * 12;
    ADD_FAILURE() << "no tag " << tag;
    return ifd + 2;
}

// Sets type LONG, count 1, value.
void set_tag(const std::string& path, std::uint16_t tag, std::uint32_t value, std::uint32_t count = 1,
             std::uint16_t type = 4) {
    std::string bytes = read_file(path);
    const std::size_t at = entry_of(bytes, tag);
    std::memcpy(bytes.data() + at + 2, &type, 2);
    std::memcpy(bytes.data() + at + 4, &count, 4);
    std::memcpy(bytes.data() + at + 8, &value, 4);
    write_file(path, bytes);
}

TiffSpec little(std::uint16_t compression = COMPRESSION_NONE) {
    TiffSpec spec;
    spec.mode = "wl";
    spec.compression = compression;
    return spec;
}

TEST(TiffDamageTest, ATruncatedFile) {
    TempDir dir;
    const std::string path = write_tiff(dir, little());
    const std::string whole = read_file(path);
    for (std::size_t size : {std::size_t{0}, std::size_t{3}, std::size_t{7}, std::size_t{100}, whole.size() - 20}) {
        write_file(path, whole.substr(0, size));
        EXPECT_THAT(refusal(path), StartsWith("bad_image: ")) << size;
    }
    write_file(path, whole.substr(0, 7));
    EXPECT_THAT(refusal(path), HasSubstr("bad_image: the TIFF header lies beyond the end of the file"));
}

TEST(TiffDamageTest, StripsThatEndEarly) {
    TempDir dir;
    for (std::uint16_t compression : {std::uint16_t{COMPRESSION_LZW}, std::uint16_t{COMPRESSION_ADOBE_DEFLATE},
                                      std::uint16_t{COMPRESSION_PACKBITS}, std::uint16_t{COMPRESSION_JPEG}}) {
        for (int level : {2, 3}) {
            TiffSpec spec = little(compression);
            spec.rows_per_strip = 16;
            const std::string path = write_tiff(dir, spec);
            std::string bytes = read_file(path);
            const std::size_t counts = number_at(bytes, entry_of(bytes, TIFFTAG_STRIPBYTECOUNTS) + 8, 4);
            const bool shorts = number_at(bytes, entry_of(bytes, TIFFTAG_STRIPBYTECOUNTS) + 2, 2) == 3;
            // The second strip loses half of its bytes.
            const std::size_t inline_at = entry_of(bytes, TIFFTAG_STRIPBYTECOUNTS) + 8;
            const std::size_t at = (shorts ? inline_at + 2 : counts + 4);
            const std::uint32_t half = number_at(bytes, at, shorts ? 2 : 4) / 2;
            std::memcpy(bytes.data() + at, &half, shorts ? 2 : 4);
            write_file(path, bytes);
            EmitOptions options;
            options.profile.language_level = level;
            EXPECT_THAT(refusal(path, options), AnyOf(HasSubstr("strip 2 of 2 ends after "),
                                                      HasSubstr("the JPEG data is truncated or damaged after ")))
                << compression << " level " << level;
        }
    }
}

TEST(TiffDamageTest, DecodedKindsAreReadToTheEndBeforeByteOne) {
    TempDir dir;
    for (int kind = 0; kind < 3; ++kind) {
        TiffSpec spec = little(COMPRESSION_LZW);
        if (kind == 0) spec.tile = 16;
        if (kind == 1) spec.planar = PLANARCONFIG_SEPARATE;
        if (kind == 2) spec.bits = 16;
        const std::string path = write_tiff(dir, spec);
        std::string bytes = read_file(path);
        const std::size_t entry = entry_of(bytes, kind == 0 ? TIFFTAG_TILEOFFSETS : TIFFTAG_STRIPOFFSETS);
        const std::size_t table = number_at(bytes, entry + 8, 4);
        const std::size_t last = number_at(bytes, entry + 4, 4) - 1;
        const std::size_t size = number_at(bytes, entry + 2, 2) == 3 ? 2 : 4;
        const std::size_t strip = number_at(bytes, table + last * size, size);
        // An end code right at the start of the last strip or tile.
        bytes.replace(strip, 3, std::string("\x80\x40\x40", 3));
        write_file(path, bytes);
        EXPECT_THAT(refusal(path), StartsWith("bad_image: ")) << kind;
        // A dry run reads no pixels, so it does not see the damage.
        EmitOptions dry_run;
        dry_run.profile.prove_pictures = false;
        EXPECT_TRUE(emit(path, dry_run)) << kind;
    }
}

TEST(TiffDamageTest, FaxDataThatEndsEarly) {
    TempDir dir;
    for (std::uint16_t compression : {std::uint16_t{COMPRESSION_CCITTFAX4}, std::uint16_t{COMPRESSION_CCITTFAX3}}) {
        TiffSpec spec = little(compression);
        spec.bits = 1;
        spec.samples = 1;
        spec.photometric = PHOTOMETRIC_MINISWHITE;
        spec.rows_per_strip = 30;
        const std::string path = write_tiff(dir, spec);
        const std::string bytes = read_file(path);
        set_tag(path, TIFFTAG_STRIPBYTECOUNTS, number_at(bytes, entry_of(bytes, TIFFTAG_STRIPBYTECOUNTS) + 8, 4) / 2);
        EXPECT_THAT(refusal(path), HasSubstr("strip 1 of 1 ends after ")) << compression;
    }
}

TEST(TiffDamageTest, ImpossibleTags) {
    TempDir dir;
    struct Case {
        std::uint16_t tag;
        std::uint32_t value, count;
        const char* says;
    };
    for (const Case& c :
         {Case{TIFFTAG_IMAGEWIDTH, 4000000000U, 1, "which is not believable"},
          Case{TIFFTAG_IMAGEWIDTH, 0, 1, "no width or no height"},
          Case{TIFFTAG_IMAGELENGTH, 200000, 1, "but the file has only"},
          Case{TIFFTAG_BITSPERSAMPLE, 500000, 3, "the value of BitsPerSample lies beyond the end of the file"},
          Case{TIFFTAG_STRIPOFFSETS, 500000, 4, "the value of StripOffsets lies beyond the end of the file"},
          Case{TIFFTAG_STRIPOFFSETS, 8, 1, "only 1 of the 4 strips"},
          Case{TIFFTAG_STRIPBYTECOUNTS, 500000, 4, "the value of StripByteCounts lies beyond"},
          Case{TIFFTAG_PHOTOMETRIC, 31337, 1, "PhotometricInterpretation 31337) is not known"},
          Case{TIFFTAG_SAMPLESPERPIXEL, 2, 1, "has 2 samples for each pixel where its colour model needs 3"}}) {
        const std::string path = write_tiff(dir, little());
        set_tag(path, c.tag, c.value, c.count);
        EXPECT_THAT(refusal(path), HasSubstr(c.says)) << c.tag;
    }
}

TEST(TiffDamageTest, WhatCannotBePlacedExactlySaysWhatToDo) {
    TempDir dir;
    TiffSpec spot = little();
    spot.samples = 5;
    spot.photometric = PHOTOMETRIC_SEPARATED;
    spot.extra_samples = {EXTRASAMPLE_UNSPECIFIED};
    EXPECT_THAT(refusal(write_tiff(dir, spot)),
                HasSubstr("unsupported: the separated image has a further channel that may be a spot ink"));
    TiffSpec multi = little();
    multi.samples = 4;
    multi.photometric = PHOTOMETRIC_SEPARATED;
    multi.more = [](TIFF* tif) { TIFFSetField(tif, TIFFTAG_INKSET, INKSET_MULTIINK); };
    EXPECT_THAT(refusal(write_tiff(dir, multi)),
                HasSubstr("unsupported: the separated image is not in CMYK and its inks have no names"));
    TiffSpec real = little();
    real.bits = 16;
    real.more = [](TIFF* tif) { TIFFSetField(tif, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_INT); };
    EXPECT_THAT(refusal(write_tiff(dir, real)), StartsWith("unsupported: the samples are not whole positive numbers"));
}

TEST(TiffDamageTest, OddButHarmlessFilesArePlaced) {
    TempDir dir;
    // RowsPerStrip far too large, byte counts missing, a directory that leads back to itself, a strip longer than its
    // rows.
    TiffSpec one = little();
    one.rows_per_strip = 30;
    const std::string path = write_tiff(dir, one);
    set_tag(path, TIFFTAG_ROWSPERSTRIP, UINT32_MAX);
    EXPECT_EQ(emit(path)->passed_bytes(), 3600U);
    set_tag(path, TIFFTAG_STRIPBYTECOUNTS, 0);
    EXPECT_EQ(emit(path)->passed_bytes(), 3600U);
    std::string bytes = read_file(path);
    const std::uint32_t ifd = number_at(bytes, 4, 4);
    const std::size_t link = ifd + 2 + number_at(bytes, ifd, 2) * 12;
    std::memcpy(bytes.data() + link, &ifd, 4);
    write_file(path, bytes);
    EXPECT_EQ(emit(path)->passed_bytes(), 3600U);
    set_tag(path, TIFFTAG_STRIPBYTECOUNTS, 3610);
    EXPECT_EQ(emit(path)->passed_bytes(), 3600U);
}

// Every byte of the tags and of the data, changed: an answer each time, never a crash, and never a plan that can't be
// produced.
TEST(TiffDamageTest, EveryFlippedByteIsAnAnswer) {
    TempDir dir;
    for (std::uint16_t compression :
         {std::uint16_t{COMPRESSION_LZW}, std::uint16_t{COMPRESSION_ADOBE_DEFLATE}, std::uint16_t{COMPRESSION_PACKBITS},
          std::uint16_t{COMPRESSION_JPEG}, std::uint16_t{COMPRESSION_NONE}}) {
        TiffSpec spec = little(compression);
        spec.width = 16;
        spec.height = 9;
        spec.tile = compression == COMPRESSION_ADOBE_DEFLATE ? 16 : 0;
        const std::string path = write_tiff(dir, spec);
        const std::string whole = read_file(path);
        for (std::size_t at = 0; at < whole.size(); at += 3) {
            std::string bytes = whole;
            bytes[at] = static_cast<char>(bytes[at] ^ 0x5A);
            write_file(path, bytes);
            auto file = map(path);
            auto info = probe_image(file);
            if (!info) continue;
            PlanBuilder builder;
            UsedFeatures used;
            Warnings warnings;
            RasterPlacement placement;
            if (!emit_raster(builder, file, *info, placement, {}, {}, used, warnings)) continue;
            auto plan = builder.finish();
            ASSERT_TRUE(check_plan(*plan)) << at;
            expect_exact_counts(bytes_of(*plan));
        }
    }
}

}  // namespace
}  // namespace opispool::opi::test
