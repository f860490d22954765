// SPDX-License-Identifier: AGPL-3.0-or-later
// The emitted PostScript through Ghostscript, one device pixel for each picture pixel, compared with the samples the
// picture was made of. The prolog is hostile: it has redefined the operators and short names that careless code would
// use.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <initializer_list>

#include "tests/opi/raster_test_support.h"

namespace opispool::opi::test {
namespace {

using Shorts = std::initializer_list<std::uint16_t>;

struct Pixels {
    std::uint32_t width = 0, height = 0, channels = 0;
    std::string bytes;
    std::uint8_t at(std::uint32_t x, std::uint32_t y, std::uint32_t c) const {
        return static_cast<std::uint8_t>(bytes[(std::size_t{y} * width + x) * channels + c]);
    }
};

constexpr const char* hostile_prolog =
    "/image {pop (image of the job) = quit} def /imagemask {pop quit} def /exch {quit} def /def2 {quit} def /get "
    "{quit} def\n"
    "/len {quit} def /k {quit} def /buf {quit} def /nx {quit} def /rd {quit} def /S {quit} def /F {quit} def /q {quit} "
    "def\n"
    "/filter {quit} def /concat {quit} def /rectclip {quit} def /readstring {quit} def /setcolorspace {quit} def\n"
    "/flushfile {quit} def /gsave {quit} def /setgray {quit} def /exec {quit} def /loop {quit} def /dup {quit} def\n";

// Renders a page of w x h points with the code on it; also checks that stacks, path and matrix are as before.
Pixels render(const std::string& code, std::uint32_t w, std::uint32_t h, bool cmyk, const std::string& before = "") {
    TempDir dir;
    std::string page = "%!PS-Adobe-3.0\n" + before +
                       "/checkdict 4 dict def\n"
                       "3 4 moveto 5 6 lineto 42\n"
                       "checkdict /m matrix currentmatrix put checkdict /d countdictstack put\n"
                       "systemdict begin 1 dict begin end end\n";
    page += hostile_prolog;
    page += code;
    page +=
        "systemdict begin\n"
        "count 1 ne {(operand stack) = quit} if 42 ne {(operand) = quit} if\n"
        "checkdict begin countdictstack 2 sub d ne {(dict stack) = quit} if\n"
        "0 1 5 {dup m exch get exch matrix currentmatrix exch get ne {(matrix) = quit} if} for end\n"
        "currentpoint 6 ne exch 5 ne or {(path) = quit} if\n"
        "showpage end\n";
    write_file(dir.path("page.ps"), page);
    const std::string out = dir.path("page.raw");
    const std::string command = std::string("gs -q -dSAFER -dBATCH -dNOPAUSE -dNOINTERPOLATE -r72 -sDEVICE=") +
                                (cmyk ? "pamcmyk32" : "ppmraw") + " -g" + std::to_string(w) + "x" + std::to_string(h) +
                                " -o " + out + " " + dir.path("page.ps") + " > " + dir.path("log") +
                                " 2>&1 < /dev/null";
    const int status = std::system(command.c_str());
    EXPECT_EQ(status, 0);
    EXPECT_EQ(read_file(dir.path("log")), "");
    Pixels pixels{w, h, cmyk ? 4U : 3U, read_file(out)};
    const std::size_t size = std::size_t{w} * h * pixels.channels;
    EXPECT_GE(pixels.bytes.size(), size);
    if (pixels.bytes.size() >= size) pixels.bytes.erase(0, pixels.bytes.size() - size);
    pixels.bytes.resize(size);
    return pixels;
}

std::uint8_t to_eight(const TiffSpec& spec, std::uint32_t value) {
    if (spec.bits == 16) return static_cast<std::uint8_t>((value * 255 + 32767) / 65535);
    return static_cast<std::uint8_t>(value * 255 / ((1U << spec.bits) - 1));
}

// What pixel x, y of the upright picture looks like on the device.
std::array<std::uint8_t, 4> truth(const TiffSpec& spec, std::uint32_t x, std::uint32_t y, bool cmyk) {
    std::array<std::uint8_t, 4> out{};
    for (std::uint32_t c = 0; c < out.size() && c < spec.samples; ++c) out[c] = to_eight(spec, sample(spec, x, y, c));
    if (spec.photometric == PHOTOMETRIC_MINISWHITE || spec.photometric == PHOTOMETRIC_MINISBLACK) {
        const auto gray = static_cast<std::uint8_t>(spec.photometric == PHOTOMETRIC_MINISWHITE ? 255 - out[0] : out[0]);
        out = {gray, gray, gray, 0};
        if (cmyk) out = {0, 0, 0, static_cast<std::uint8_t>(255 - gray)};
    }
    return out;
}

// Where pixel x, y of the upright picture is stored.
std::pair<std::uint32_t, std::uint32_t> stored(const TiffSpec& s, std::uint32_t x, std::uint32_t y) {
    const std::uint32_t w = s.width - 1, h = s.height - 1;
    switch (s.orientation) {
        case 2:
            return {w - x, y};
        case 3:
            return {w - x, h - y};
        case 4:
            return {x, h - y};
        case 5:
            return {y, x};
        case 6:
            return {y, h - x};
        case 7:
            return {w - y, h - x};
        case 8:
            return {w - y, x};
        default:
            return {x, y};
    }
}

void expect_pixels(const TiffSpec& spec, EmitOptions options = {}) {
    TempDir dir;
    const std::string path = write_tiff(dir, spec);
    const bool cmyk = spec.photometric == PHOTOMETRIC_SEPARATED;
    for (auto encoding : {ChannelEncoding::binary, ChannelEncoding::ascii85, ChannelEncoding::hex}) {
        options.profile.encoding = encoding;
        options.colour.transparent = false;
        auto emitted = emit(path, options);
        ASSERT_TRUE(emitted) << describe(emitted.error());
        const bool turned = spec.orientation >= 5;
        const Pixels got =
            render(emitted->bytes, turned ? spec.height : spec.width, turned ? spec.width : spec.height, cmyk);
        std::size_t wrong = 0;
        for (std::uint32_t y = 0; y < got.height; ++y)
            for (std::uint32_t x = 0; x < got.width; ++x) {
                const auto at = stored(spec, x, y);
                const auto want = truth(spec, at.first, at.second, cmyk);
                for (std::uint32_t c = 0; c < got.channels; ++c)
                    wrong += std::abs(got.at(x, y, c) - want[c]) > 1 ? 1 : 0;
            }
        EXPECT_EQ(wrong, 0U) << "of " << got.bytes.size() << ", encoding " << static_cast<int>(encoding);
    }
}

TiffSpec gray(std::uint16_t bits, std::uint16_t photometric, std::uint16_t compression) {
    TiffSpec spec;
    spec.bits = bits;
    spec.samples = 1;
    spec.photometric = photometric;
    spec.compression = compression;
    return spec;
}

TEST(RasterPixelsTest, GrayOfEveryDepthAndPolarity) {
    for (std::uint16_t bits : Shorts{1, 2, 4, 8, 16})
        for (std::uint16_t photometric : Shorts{PHOTOMETRIC_MINISWHITE, PHOTOMETRIC_MINISBLACK}) {
            SCOPED_TRACE(std::to_string(bits) + " bits, photometric " + std::to_string(photometric));
            expect_pixels(gray(bits, photometric, COMPRESSION_NONE));
            expect_pixels(gray(bits, photometric, COMPRESSION_LZW));
        }
}

TEST(RasterPixelsTest, FaxCodings) {
    for (std::uint16_t compression : Shorts{COMPRESSION_CCITTRLE, COMPRESSION_CCITTFAX3, COMPRESSION_CCITTFAX4})
        for (std::uint16_t photometric : Shorts{PHOTOMETRIC_MINISWHITE, PHOTOMETRIC_MINISBLACK})
            for (std::uint16_t fill_order : Shorts{1, 2}) {
                SCOPED_TRACE(std::to_string(compression) + " photometric " + std::to_string(photometric) + " fill " +
                             std::to_string(fill_order));
                TiffSpec spec = gray(1, photometric, compression);
                spec.fill_order = fill_order;
                expect_pixels(spec);
            }
}

TEST(RasterPixelsTest, EveryCompressionLayoutAndByteOrder) {
    for (std::uint16_t compression : Shorts{COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE,
                                            COMPRESSION_DEFLATE, COMPRESSION_PACKBITS})
        for (const char* mode : {"wl", "wb", "w8"})
            for (int layout = 0; layout < 4; ++layout) {
                SCOPED_TRACE(std::to_string(compression) + mode + " layout " + std::to_string(layout));
                TiffSpec spec;
                spec.mode = mode;
                spec.compression = compression;
                spec.bits = (layout & 1) != 0 ? 16 : 8;
                spec.planar = layout == 2 ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG;
                spec.tile = layout >= 2 ? 16 : 0;
                if (compression == COMPRESSION_LZW || compression == COMPRESSION_ADOBE_DEFLATE) spec.predictor = 2;
                expect_pixels(spec);
            }
}

TEST(RasterPixelsTest, CmykAndLevelTwo) {
    for (std::uint16_t compression : Shorts{COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE}) {
        TiffSpec spec;
        spec.samples = 4;
        spec.photometric = PHOTOMETRIC_SEPARATED;
        spec.compression = compression;
        spec.predictor = compression == COMPRESSION_NONE ? 1 : 2;
        expect_pixels(spec);
        EmitOptions level2;
        level2.profile.language_level = 2;
        expect_pixels(spec, level2);
        spec.planar = PLANARCONFIG_SEPARATE;
        expect_pixels(spec);
    }
}

TEST(RasterPixelsTest, ExtraSamplesAreLeftOut) {
    TiffSpec spec;
    spec.samples = 4;
    spec.extra_samples = {EXTRASAMPLE_UNASSALPHA};
    expect_pixels(spec);
    spec.compression = COMPRESSION_LZW;
    spec.tile = 16;
    expect_pixels(spec);
}

TEST(RasterPixelsTest, EveryOrientation) {
    for (std::uint16_t orientation = 1; orientation <= 8; ++orientation) {
        SCOPED_TRACE(orientation);
        TiffSpec spec;
        spec.orientation = orientation;
        spec.compression = COMPRESSION_LZW;
        expect_pixels(spec);
    }
}

TEST(RasterPixelsTest, InkGoesWhereTheCommentsSay) {
    TempDir dir;
    TiffSpec spec = gray(8, PHOTOMETRIC_MINISBLACK, COMPRESSION_NONE);
    const std::string path = write_tiff(dir, spec);
    struct Case {
        ColourRequest::Kind kind;
        std::array<double, 4> cmyk;
        double tint;
        std::array<double, 4> want;
    };
    for (const Case& c : {Case{ColourRequest::Kind::none, {0, 0, 0, 1}, 0.5, {0, 0, 0, 0.5}},
                          Case{ColourRequest::Kind::process, {0, 1, 0, 0}, 0.5, {0, 0.5, 0, 0}},
                          Case{ColourRequest::Kind::process, {0.2, 1, 0.5, 0.1}, 1, {0.2, 1, 0.5, 0.1}},
                          Case{ColourRequest::Kind::spot, {0, 0.75, 0.9, 0}, 0.8, {0, 0.6, 0.72, 0}},
                          Case{ColourRequest::Kind::registration, {0, 0, 0, 1}, 1, {1, 1, 1, 1}}}) {
        EmitOptions options;
        options.colour.kind = c.kind;
        options.colour.cmyk = c.cmyk;
        options.colour.tint = c.tint;
        options.colour.spot_name = c.kind == ColourRequest::Kind::spot ? "Blue (dark)" : "";
        auto emitted = emit(path, options);
        ASSERT_TRUE(emitted) << describe(emitted.error());
        const Pixels got = render(emitted->bytes, spec.width, spec.height, true);
        for (std::uint32_t x = 0; x < spec.width; ++x)
            for (std::uint32_t k = 0; k < 4; ++k)
                EXPECT_NEAR(got.at(x, 5, k), c.want[k] * (255 - sample(spec, x, 5, 0)), 2) << x << " plate " << k;
    }
}

TEST(RasterPixelsTest, WhiteOfAMaskLeavesThePageOfAnOpaquePictureDoesNot) {
    TempDir dir;
    for (std::uint16_t compression : Shorts{COMPRESSION_NONE, COMPRESSION_CCITTFAX4}) {
        TiffSpec spec = gray(1, PHOTOMETRIC_MINISWHITE, compression);
        const std::string path = write_tiff(dir, spec);
        for (bool transparent : {true, false}) {
            EmitOptions options;
            options.colour.transparent = transparent;
            options.colour.kind = ColourRequest::Kind::process;
            options.colour.cmyk = {0, 1, 0.6, 0};
            auto emitted = emit(path, options);
            ASSERT_TRUE(emitted) << describe(emitted.error());
            const Pixels got =
                render(emitted->bytes, spec.width, spec.height, true, "0.4 0 0 0 setcmykcolor 0 0 99 99 rectfill\n");
            for (std::uint32_t x = 0; x < spec.width; ++x) {
                const bool ink = sample(spec, x, 4, 0) == 1;
                EXPECT_EQ(got.at(x, 4, 0), ink || !transparent ? 0 : 102) << x;
                EXPECT_EQ(got.at(x, 4, 1), ink ? 255 : 0) << x;
            }
        }
    }
}

TEST(RasterPixelsTest, ClippedPictureLeavesOutRowsAndStaysInPlace) {
    TempDir dir;
    for (std::uint16_t compression : Shorts{COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_PACKBITS}) {
        TiffSpec spec;
        spec.compression = compression;
        spec.rows_per_strip = 4;
        const std::string path = write_tiff(dir, spec);
        EmitOptions options;
        // Rows 10 to 15 of 30, columns 8 to 24 of 40.
        options.placement.visible = {0.2, 1.0 / 3, 0.6, 0.5};
        options.placement.clip_to_user = Matrix{16, 0, 0, 5, 8, 15};
        auto emitted = emit(path, options);
        ASSERT_TRUE(emitted) << describe(emitted.error());
        EXPECT_LT(emitted->passed_bytes(), read_file(path).size() * 6 / 10);
        const Pixels got = render(emitted->bytes, spec.width, spec.height, false);
        for (std::uint32_t y = 0; y < spec.height; ++y)
            for (std::uint32_t x = 0; x < spec.width; ++x) {
                const bool inside = x >= 8 && x < 24 && y >= 10 && y < 15;
                EXPECT_EQ(got.at(x, y, 1), inside ? truth(spec, x, y, false)[1] : 255) << x << " " << y;
            }
    }
}

TEST(RasterPixelsTest, JpegInTiffAndInFiles) {
    TempDir dir;
    TiffSpec spec;
    spec.compression = COMPRESSION_JPEG;
    spec.rows_per_strip = 16;
    for (std::uint16_t samples : Shorts{1, 3, 4})
        for (std::uint32_t tile : {0U, 16U}) {
            spec.samples = samples;
            spec.tile = tile;
            spec.photometric = samples == 1   ? PHOTOMETRIC_MINISBLACK
                               : samples == 3 ? PHOTOMETRIC_RGB
                                              : PHOTOMETRIC_SEPARATED;
            auto emitted = emit(write_tiff(dir, spec));
            ASSERT_TRUE(emitted) << describe(emitted.error());
            EXPECT_EQ(emitted->generates(), tile != 0);
            const bool cmyk = samples == 4;
            const Pixels got = render(emitted->bytes, spec.width, spec.height, cmyk);
            long difference = 0;
            for (std::uint32_t y = 0; y < spec.height; ++y)
                for (std::uint32_t x = 0; x < spec.width; ++x)
                    for (std::uint32_t c = 0; c < got.channels; ++c)
                        difference += std::abs(got.at(x, y, c) - truth(spec, x, y, cmyk)[c]);
            // Lossy: a wrong transform or polarity is far beyond this.
            EXPECT_LT(difference / static_cast<long>(got.bytes.size()), 16) << samples << " samples, tile " << tile;
        }
    for (bool progressive : {false, true})
        for (int components : {1, 3, 4})
            for (bool adobe : {false, true}) {
                if (adobe && components != 4) continue;
                JpegSpec jpeg;
                jpeg.components = components;
                jpeg.progressive = progressive;
                jpeg.adobe = adobe;
                auto emitted = emit(write_jpeg(dir, jpeg));
                ASSERT_TRUE(emitted) << describe(emitted.error());
                EXPECT_EQ(emitted->generates(), progressive);
                const Pixels got = render(emitted->bytes, jpeg.width, jpeg.height, components == 4);
                const int stored_value = 40 + 10 * 3 + 8 * 2 + (components > 1 ? 20 : 0);
                EXPECT_NEAR(got.at(10, 8, 1), adobe ? 255 - stored_value : stored_value, 6) << components << adobe;
            }
}

TEST(RasterPixelsTest, LabKeepsPaperWhiteAndGraysGray) {
    TempDir dir;
    for (std::uint16_t photometric : Shorts{PHOTOMETRIC_CIELAB, PHOTOMETRIC_ICCLAB}) {
        const std::string path = dir.path("lab.tif");
        TIFF* tif = TIFFOpen(path.c_str(), "w");
        ASSERT_NE(tif, nullptr);
        const auto zero = static_cast<std::uint8_t>(photometric == PHOTOMETRIC_CIELAB ? 0 : 128);
        // White, black, middle gray; then sRGB red: L 54.3, a 80.8, b 69.9 under D50.
        std::array<std::uint8_t, 12> row{255, zero, zero, 0, zero, zero, 136, zero, zero, 138, 81, 70};
        for (std::size_t i = 10; i < 12; ++i) row[i] = static_cast<std::uint8_t>(row[i] + zero);
        TIFFSetField(tif, TIFFTAG_IMAGEWIDTH, 4);
        TIFFSetField(tif, TIFFTAG_IMAGELENGTH, 1);
        TIFFSetField(tif, TIFFTAG_BITSPERSAMPLE, 8);
        TIFFSetField(tif, TIFFTAG_SAMPLESPERPIXEL, 3);
        TIFFSetField(tif, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
        TIFFSetField(tif, TIFFTAG_PHOTOMETRIC, photometric);
        ASSERT_EQ(TIFFWriteScanline(tif, row.data(), 0, 0), 1);
        TIFFClose(tif);
        auto emitted = emit(path);
        ASSERT_TRUE(emitted) << describe(emitted.error());
        EXPECT_EQ(emitted->warnings.size(), 1U);
        const Pixels got = render(emitted->bytes, 4, 1, false);
        const std::array<int, 12> want{255, 255, 255, 0, 0, 0, 127, 127, 127, 255, 0, 0};
        for (std::uint32_t i = 0; i < 12; ++i) EXPECT_NEAR(got.at(i / 3, 0, i % 3), want[i], 3) << i;
    }
}

TEST(RasterPixelsTest, PalettesOfEveryDepth) {
    TempDir dir;
    for (std::uint16_t bits : Shorts{1, 2, 4, 8})
        for (bool eight_bit_map : {false, true}) {
            TiffSpec spec = gray(bits, PHOTOMETRIC_PALETTE, bits == 8 ? COMPRESSION_LZW : COMPRESSION_PACKBITS);
            std::vector<std::uint16_t> map(std::size_t{3} << bits);
            for (std::size_t i = 0; i < map.size(); ++i)
                map[i] = static_cast<std::uint16_t>((i * 83 % 256) * (eight_bit_map ? 1 : 257));
            const std::size_t entries = map.size() / 3;
            spec.more = [&](TIFF* tif) {
                TIFFSetField(tif, TIFFTAG_COLORMAP, map.data(), map.data() + entries, map.data() + 2 * entries);
            };
            auto emitted = emit(write_tiff(dir, spec));
            ASSERT_TRUE(emitted) << describe(emitted.error());
            const Pixels got = render(emitted->bytes, spec.width, spec.height, false);
            for (std::uint32_t x = 0; x < spec.width; ++x)
                for (std::uint32_t c = 0; c < 3; ++c)
                    EXPECT_EQ(got.at(x, 7, c),
                              static_cast<std::uint8_t>((c * entries + sample(spec, x, 7, 0)) * 83 % 256))
                        << x;
        }
}

}  // namespace
}  // namespace opispool::opi::test
