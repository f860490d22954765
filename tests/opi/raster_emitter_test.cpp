// SPDX-License-Identifier: AGPL-3.0-or-later
// Which data passes as ranges of the file, what the text around it says, and that every count is exact.
#include "opi/emit/raster_emitter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/opi/raster_test_support.h"

namespace opispool::opi::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TiffSpec bilevel(std::uint16_t compression) {
    TiffSpec spec;
    spec.bits = 1;
    spec.samples = 1;
    spec.photometric = PHOTOMETRIC_MINISWHITE;
    spec.compression = compression;
    return spec;
}

Emitted emitted(const std::string& path, const EmitOptions& options = {}) {
    auto result = emit(path, options);
    if (!result) {
        ADD_FAILURE() << describe(result.error());
        return {std::make_shared<SplicePlan>(), "", {}, {}};
    }
    return std::move(*result);
}

TEST(RasterEmitterTest, UncompressedStripsAreOneRange) {
    TempDir dir;
    TiffSpec spec;
    spec.rows_per_strip = 1;
    const Emitted out = emitted(write_tiff(dir, spec));
    EXPECT_EQ(out.plan->spans().size(), 3U);
    EXPECT_EQ(out.passed_bytes(), 40U * 30 * 3);
    EXPECT_THAT(out.bytes, HasSubstr("/oLen [3600] def"));
    EXPECT_TRUE(out.used.binary_data);
    EXPECT_EQ(out.used.language_level, 2);
}

TEST(RasterEmitterTest, GrayIsTheBlackInkWhereTheQueueWants) {
    TempDir dir;
    TiffSpec gray;
    gray.samples = 1;
    gray.photometric = PHOTOMETRIC_MINISBLACK;
    JpegSpec gray_jpeg;
    gray_jpeg.components = 1;
    EmitOptions options;
    for (const std::string& path : {write_tiff(dir, gray, "gray.tif"), write_jpeg(dir, gray_jpeg, "gray.jpg")}) {
        options.profile.gray_as_black = false;
        EXPECT_THAT(emit(path, options).value().bytes, Not(HasSubstr("/Separation")));
        options.profile.gray_as_black = true;
        EXPECT_THAT(emit(path, options).value().bytes, HasSubstr("/Separation (Black)"));
    }
    EXPECT_THAT(emit(write_tiff(dir, {}), options).value().bytes, Not(HasSubstr("/Separation"))) << "colour stays";
}

TEST(RasterEmitterTest, CompressedStripsPassWhereAFilterReadsThem) {
    TempDir dir;
    struct Case {
        std::uint16_t compression, predictor;
        int level;
        bool passes;
        const char* filter;
        int needs;
    };
    for (const Case& c :
         {Case{COMPRESSION_LZW, 1, 2, true, "/LZWDecode filter", 2},
          Case{COMPRESSION_LZW, 2, 3, true, "/Predictor 2 /Columns 40 /Colors 3 /BitsPerComponent 8 >> /LZWDecode", 3},
          Case{COMPRESSION_LZW, 2, 2, false, "/oSrc oRaw def", 2},
          Case{COMPRESSION_ADOBE_DEFLATE, 1, 3, true, "/FlateDecode filter", 3},
          Case{COMPRESSION_ADOBE_DEFLATE, 1, 2, false, "/oSrc oRaw def", 2},
          Case{COMPRESSION_PACKBITS, 1, 2, true, "/RunLengthDecode filter", 2}}) {
        TiffSpec spec;
        spec.compression = c.compression;
        spec.predictor = c.predictor;
        EmitOptions options;
        options.profile.language_level = c.level;
        const Emitted out = emitted(write_tiff(dir, spec), options);
        EXPECT_EQ(out.passed_bytes() > 0, c.passes) << c.filter;
        EXPECT_EQ(out.generates(), !c.passes) << c.filter;
        EXPECT_THAT(out.bytes, HasSubstr(c.filter));
        EXPECT_EQ(out.used.language_level, c.needs) << c.filter;
    }
}

TEST(RasterEmitterTest, WhatNoFilterReadsIsDecoded) {
    TempDir dir;
    std::vector<TiffSpec> specs(6);
    specs[0].tile = 16;
    specs[1].planar = PLANARCONFIG_SEPARATE;
    specs[2].bits = 16;
    specs[3].fill_order = 2;
    specs[4].samples = 4;
    specs[4].extra_samples = {EXTRASAMPLE_UNASSALPHA};
    specs[5] = bilevel(COMPRESSION_CCITTFAX3);
    for (const TiffSpec& spec : specs) {
        const Emitted out = emitted(write_tiff(dir, spec));
        EXPECT_EQ(out.passed_bytes(), 0U);
        ASSERT_EQ(out.plan->generated().size(), 1U);
        EXPECT_EQ(out.plan->generated()[0]->length_bytes(), spec.bits == 1 ? 5U * 30 : 40U * 30 * 3);
        EXPECT_THAT(out.bytes, Not(HasSubstr("BitsPerComponent 16")));
    }
    EXPECT_EQ(emitted(write_tiff(dir, bilevel(COMPRESSION_CCITTFAX4))).generates(), false);
}

TEST(RasterEmitterTest, PackBitsWithANoOpIsDecoded) {
    TempDir dir;
    TiffSpec spec;
    spec.compression = COMPRESSION_PACKBITS;
    spec.samples = 1;
    spec.photometric = PHOTOMETRIC_MINISBLACK;
    spec.width = 4;
    spec.height = 1;
    const std::string path = write_tiff(dir, spec);
    std::string bytes = read_file(path);
    // The strip lies behind the header: two runs of two bytes. RunLengthDecode would end at 0x80.
    ASSERT_EQ(bytes.substr(8, 2), std::string("\xFF\0", 2));
    const Emitted before = emitted(path);
    EXPECT_GT(before.passed_bytes(), 0U);
    bytes.replace(8, 4, "\x80\xFD\x55\x80");
    write_file(path, bytes);
    const Emitted out = emitted(path);
    EXPECT_EQ(out.passed_bytes(), 0U);
    EXPECT_THAT(out.bytes, HasSubstr("UUUU"));
}

TEST(RasterEmitterTest, OldStyleLzwIsDecoded) {
    TempDir dir;
    const std::string path = dir.path("old.tif");
    // Codes of nine bits from the low end of each byte: clear, the samples, end.
    std::string samples, strip;
    std::uint32_t held = 0, bits = 0;
    auto put = [&](std::uint32_t code) {
        held |= code << bits;
        for (bits += 9; bits >= 8; bits -= 8, held >>= 8U) strip += static_cast<char>(held & 255U);
    };
    put(256);
    for (std::uint32_t i = 0; i < 144; ++i) {
        samples += static_cast<char>('0' + i % 61);
        put(static_cast<unsigned char>(samples.back()));
    }
    put(257);
    strip += static_cast<char>(held);
    TIFF* tif = TIFFOpen(path.c_str(), "w");
    ASSERT_NE(tif, nullptr);
    TIFFSetField(tif, TIFFTAG_IMAGEWIDTH, 16);
    TIFFSetField(tif, TIFFTAG_IMAGELENGTH, 9);
    TIFFSetField(tif, TIFFTAG_BITSPERSAMPLE, 8);
    TIFFSetField(tif, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
    TIFFSetField(tif, TIFFTAG_COMPRESSION, COMPRESSION_LZW);
    TIFFSetField(tif, TIFFTAG_ROWSPERSTRIP, 9);
    ASSERT_EQ(TIFFWriteRawStrip(tif, 0, strip.data(), static_cast<tmsize_t>(strip.size())),
              static_cast<tmsize_t>(strip.size()));
    TIFFClose(tif);
    const Emitted out = emitted(path);
    EXPECT_EQ(out.passed_bytes(), 0U);
    EXPECT_THAT(out.bytes, HasSubstr(samples));
}

TEST(RasterEmitterTest, SevenBitChannelsGetOnlyPrintableBytes) {
    TempDir dir;
    for (auto encoding : {ChannelEncoding::ascii85, ChannelEncoding::hex})
        for (std::uint16_t compression :
             {std::uint16_t{COMPRESSION_NONE}, std::uint16_t{COMPRESSION_LZW}, std::uint16_t{COMPRESSION_CCITTRLE}}) {
            TiffSpec spec = compression == COMPRESSION_CCITTRLE ? bilevel(compression) : TiffSpec{};
            spec.compression = compression;
            EmitOptions options;
            options.profile.encoding = encoding;
            const Emitted out = emitted(write_tiff(dir, spec), options);
            for (char c : out.bytes) ASSERT_TRUE(c == '\n' || (c >= ' ' && c <= '~')) << static_cast<int>(c);
            EXPECT_THAT(out.bytes, HasSubstr(" ASCII Bytes\n"));
            EXPECT_FALSE(out.used.binary_data);
            EXPECT_FALSE(out.plan->sources().empty()) << "the picture's identity must be in the plan";
        }
}

TEST(RasterEmitterTest, JpegStripsGetTheirTables) {
    TempDir dir;
    TiffSpec spec;
    spec.compression = COMPRESSION_JPEG;
    spec.rows_per_strip = 16;
    const Emitted rgb = emitted(write_tiff(dir, spec));
    EXPECT_GT(rgb.passed_bytes(), 0U);
    EXPECT_THAT(rgb.bytes, HasSubstr("/ColorTransform 0"));
    spec.photometric = PHOTOMETRIC_YCBCR;
    spec.more = [](TIFF* tif) { TIFFSetField(tif, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB); };
    EXPECT_THAT(emitted(write_tiff(dir, spec)).bytes, HasSubstr("/ColorTransform 1"));
}

TEST(RasterEmitterTest, ColourOfOneBitPictures) {
    TempDir dir;
    const std::string path = write_tiff(dir, bilevel(COMPRESSION_NONE));
    EmitOptions options;
    EXPECT_THAT(emitted(path, options).bytes, HasSubstr("0 setgray\n"));
    EXPECT_THAT(emitted(path, options).bytes, HasSubstr("/Decode [1 0]\n/DataSource {oRead} >> imagemask"));
    options.colour.transparent = false;
    EXPECT_THAT(emitted(path, options).bytes, HasSubstr("/Decode [1 0]\n/DataSource {oRead} >> image oRaw"));
    options.colour.transparent = true;
    options.colour.kind = ColourRequest::Kind::process;
    options.colour.cmyk = {0, 1, 0.5, 0.25};
    options.colour.tint = 0.5;
    EXPECT_THAT(emitted(path, options).bytes, HasSubstr("0 0.5 0.25 0.125 setcmykcolor\n"));
    options.colour.kind = ColourRequest::Kind::spot;
    options.colour.spot_name = "Caf\xE9 (dark)\\";
    EXPECT_THAT(emitted(path, options).bytes, HasSubstr("[/Separation (Caf\\351 \\(dark\\)\\\\) cvn /DeviceCMYK"));
    EXPECT_THAT(emitted(path, options).bytes, HasSubstr("setcolorspace 0.5 setcolor\n"));
}

TEST(RasterEmitterTest, OverprintTouchesOnlyThePlatesThatArePainted) {
    TempDir dir;
    TiffSpec spec;
    spec.samples = 1;
    spec.photometric = PHOTOMETRIC_MINISBLACK;
    const std::string path = write_tiff(dir, spec);
    EmitOptions options;
    EXPECT_THAT(emitted(path, options).bytes, Not(HasSubstr("setoverprint")));
    options.colour.overprint = false;
    EXPECT_THAT(emitted(path, options).bytes, HasSubstr("false setoverprint\n"));
    options.colour.overprint = true;
    const std::string black = emitted(path, options).bytes;
    EXPECT_THAT(black, HasSubstr("true setoverprint\n"));
    EXPECT_THAT(black, HasSubstr("[/Separation (Black) cvn"));
    options.colour.kind = ColourRequest::Kind::process;
    options.colour.cmyk = {0, 1, 1, 0};
    EXPECT_THAT(emitted(path, options).bytes, HasSubstr("[/DeviceN [(Magenta) cvn (Yellow) cvn ] /DeviceCMYK"));
    options.profile.language_level = 2;
    const Emitted level2 = emitted(path, options);
    EXPECT_THAT(level2.bytes, Not(HasSubstr("DeviceN")));
    EXPECT_EQ(level2.warnings.size(), 1U);
}

TEST(RasterEmitterTest, InksOfOpi20) {
    TempDir dir;
    TiffSpec spec;
    spec.samples = 1;
    spec.photometric = PHOTOMETRIC_MINISBLACK;
    const std::string path = write_tiff(dir, spec);
    EmitOptions options;
    options.colour.kind = ColourRequest::Kind::inks;
    options.colour.inks = {{"Black", 0.4}};
    const Emitted black = emitted(path, options);
    EXPECT_THAT(black.bytes, HasSubstr("/Separation (Black)"));
    EXPECT_THAT(black.bytes, HasSubstr("/Decode [0.4 0]"));
    EXPECT_TRUE(black.warnings.empty());
    options.colour.inks = {{"PANTONE 123 CV", 1}, {"Black", 0.5}};
    const Emitted two = emitted(path, options);
    EXPECT_THAT(two.bytes, HasSubstr("[/Indexed [/DeviceN [(PANTONE 123 CV) cvn (Black) cvn ] /DeviceCMYK"));
    EXPECT_EQ(two.used.language_level, 3);
    EXPECT_EQ(two.warnings.size(), 1U);
    options.profile.language_level = 2;
    EXPECT_THAT(refusal(path, options), HasSubstr("unsupported: a picture in several inks"));
}

// For the lists of colours in the job's header.
TEST(RasterEmitterTest, SaysWhichInksItPrintsWith) {
    TempDir dir;
    TiffSpec spec;
    EXPECT_TRUE(emitted(write_tiff(dir, spec)).used.process_inks.empty()) << "the device separates RGB";
    spec.samples = 4;
    spec.photometric = PHOTOMETRIC_SEPARATED;
    EXPECT_EQ(emitted(write_tiff(dir, spec)).used.process_inks,
              (std::set<std::string>{"Black", "Cyan", "Magenta", "Yellow"}));
    spec.samples = 1;
    spec.photometric = PHOTOMETRIC_MINISBLACK;
    const std::string gray = write_tiff(dir, spec);
    EXPECT_EQ(emitted(gray).used.process_inks, std::set<std::string>{"Black"});
    EmitOptions options;
    options.colour.kind = ColourRequest::Kind::inks;
    options.colour.inks = {{"Gold", 1}, {"Cyan", 0.5}, {"Black", 0}};
    options.profile.inks = {{"Gold", {0, 0.2, 0.8, 0.1}}};
    const UsedFeatures used = emitted(gray, options).used;
    EXPECT_EQ(used.process_inks, std::set<std::string>{"Cyan"});
    EXPECT_EQ(used.spot_inks, (std::map<std::string, std::array<double, 4>>{{"Gold", {0, 0.2, 0.8, 0.1}}}));
    options.colour.kind = ColourRequest::Kind::registration;
    EXPECT_TRUE(emitted(gray, options).used.spot_inks.empty()) << "All is no ink of its own";
    JpegSpec jpeg;
    jpeg.components = 4;
    EXPECT_EQ(emitted(write_jpeg(dir, jpeg)).used.process_inks.size(), 4U);
    jpeg.components = 1;
    EXPECT_EQ(emitted(write_jpeg(dir, jpeg)).used.process_inks, std::set<std::string>{"Black"});
}

TEST(RasterEmitterTest, GrayMapIsAppliedOnceAndAnIdentityNotAtAll) {
    TempDir dir;
    TiffSpec spec;
    spec.samples = 1;
    spec.photometric = PHOTOMETRIC_MINISBLACK;
    const std::string path = write_tiff(dir, spec);
    EmitOptions options;
    for (std::uint32_t v = 0; v < 256; ++v) options.colour.gray_map.push_back(static_cast<std::uint16_t>(v * 257));
    EXPECT_FALSE(emitted(path, options).generates());
    for (auto& v : options.colour.gray_map) v = static_cast<std::uint16_t>(65535 - v);
    const Emitted inverted = emitted(path, options);
    ASSERT_TRUE(inverted.generates());
    const std::size_t data = inverted.bytes.find("} exec\n");
    const std::size_t begin = (data == std::string::npos ? inverted.bytes.find("exec\n") : data + 2) + 5;
    for (std::uint32_t x = 0; x < spec.width; ++x)
        EXPECT_EQ(static_cast<unsigned char>(inverted.bytes[begin + x]), 255 - sample(spec, x, 0, 0));
}

TEST(RasterEmitterTest, ColourPicturesKeepTheirColoursAndSaySo) {
    TempDir dir;
    EmitOptions options;
    options.colour.kind = ColourRequest::Kind::spot;
    options.colour.spot_name = "Red";
    options.colour.tint = 0.5;
    const Emitted out = emitted(write_tiff(dir, {}), options);
    EXPECT_THAT(out.bytes, HasSubstr("/DeviceRGB setcolorspace"));
    EXPECT_EQ(out.warnings.size(), 1U);
}

TEST(RasterEmitterTest, RowsOutsideTheVisiblePartStayBehind) {
    TempDir dir;
    TiffSpec spec;
    spec.compression = COMPRESSION_LZW;
    EmitOptions options;
    options.placement.visible = {0, 0.6, 1, 1};
    const Emitted out = emitted(write_tiff(dir, spec), options);
    // Rows 18 to 30, one to spare: the strips that begin at row 16 and 24.
    EXPECT_THAT(out.bytes, HasSubstr("/Height 14 "));
    EXPECT_THAT(out.bytes, HasSubstr("/ImageMatrix [40 0 0 -30 0 14]"));
    EXPECT_THAT(out.bytes, HasSubstr("/oCount 2 def"));
    options.orientation = 3;
    EXPECT_THAT(emitted(write_tiff(dir, spec), options).bytes, HasSubstr("/Height 30 "));
}

TEST(RasterEmitterTest, MoreStripsThanAnArrayHoldsAreDecodedIntoOne) {
    TempDir dir;
    TiffSpec spec;
    spec.width = 1;
    spec.height = 70000;
    spec.samples = 1;
    spec.photometric = PHOTOMETRIC_MINISBLACK;
    spec.rows_per_strip = 1;
    spec.compression = COMPRESSION_PACKBITS;
    const Emitted out = emitted(write_tiff(dir, spec));
    EXPECT_TRUE(out.generates());
    EXPECT_THAT(out.bytes, HasSubstr("/oLen [70000] def"));
}

TEST(RasterEmitterTest, LinesOfTheTextAreShort) {
    TempDir dir;
    TiffSpec spec;
    spec.compression = COMPRESSION_LZW;
    spec.rows_per_strip = 1;
    EmitOptions options;
    options.profile.encoding = ChannelEncoding::ascii85;
    options.colour.kind = ColourRequest::Kind::spot;
    const std::string bytes = emitted(write_tiff(dir, spec), options).bytes;
    std::size_t begin = 0;
    for (std::size_t end = bytes.find('\n'); end != std::string::npos; begin = end + 1, end = bytes.find('\n', begin))
        EXPECT_LE(end - begin, 255U) << bytes.substr(begin, end - begin);
}

}  // namespace
}  // namespace opispool::opi::test
