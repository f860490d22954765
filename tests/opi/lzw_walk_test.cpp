// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/emit/lzw_walk.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/opi/raster_test_support.h"

namespace opispool::opi::test {
namespace {

using Bytes = std::vector<std::byte>;

// The only strip of a gray picture of these samples, as libtiff compresses it.
Bytes compress(const TempDir& dir, const Bytes& samples) {
    const std::string path = dir.path("strip.tif");
    TIFF* tif = TIFFOpen(path.c_str(), "w");
    TIFFSetField(tif, TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(samples.size()));
    TIFFSetField(tif, TIFFTAG_IMAGELENGTH, 1);
    TIFFSetField(tif, TIFFTAG_BITSPERSAMPLE, 8);
    TIFFSetField(tif, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
    TIFFSetField(tif, TIFFTAG_COMPRESSION, COMPRESSION_LZW);
    TIFFSetField(tif, TIFFTAG_ROWSPERSTRIP, 1);
    Bytes line = samples;
    EXPECT_EQ(TIFFWriteScanline(tif, line.data(), 0, 0), 1);
    TIFFClose(tif);
    tif = TIFFOpen(path.c_str(), "r");
    Bytes strip(samples.size() * 2 + 100);
    strip.resize(static_cast<std::size_t>(TIFFReadRawStrip(tif, 0, strip.data(), static_cast<tmsize_t>(strip.size()))));
    TIFFClose(tif);
    return strip;
}

// One byte again and again (codes that are used before they are complete), text, noise (many clear codes).
std::vector<Bytes> samples() {
    std::vector<Bytes> out(3, Bytes(30'000));
    std::uint32_t state = 1;
    for (std::size_t i = 0; i < 30'000; ++i) {
        state = state * 1664525U + 1013904223U;
        out[0][i] = std::byte{7};
        out[1][i] = std::byte{static_cast<unsigned char>(i * i / 900 % 61)};
        out[2][i] = std::byte{static_cast<unsigned char>(state >> 24U)};
    }
    return out;
}

Bytes with_slack(Bytes in) {
    in.resize(in.size() + lzw_read_slack_bytes, std::byte{0x55});
    return in;
}

TEST(LzwWalkTest, BytesAndLengthsAreThoseOfThePicture) {
    TempDir dir;
    for (const Bytes& picture : samples()) {
        const Bytes strip = compress(dir, picture);
        const Bytes in = with_slack(strip);
        const std::span<const std::byte> codes = std::span(in).first(strip.size());
        Bytes out(picture.size() + 1, std::byte{0xAA});
        LzwBytes bytes({out.data(), picture.size()});
        EXPECT_EQ(LzwWalk<LzwBytes>(bytes).run(codes, picture.size()), LzwEnd::enough);
        EXPECT_EQ(out.back(), std::byte{0xAA}) << "nothing is written behind the room";
        out.pop_back();
        EXPECT_TRUE(out == picture);
        LzwLengths lengths;
        LzwWalk<LzwLengths> walk(lengths);
        EXPECT_EQ(walk.run(codes, picture.size() + 1), LzwEnd::mark);
        EXPECT_EQ(walk.decoded_bytes(), picture.size());
    }
}

TEST(LzwWalkTest, ASmallerRoomGetsTheBytesThatFit) {
    TempDir dir;
    const Bytes picture = samples()[0];
    const Bytes in = with_slack(compress(dir, picture));
    for (std::size_t room = 1; room < 400; ++room) {
        Bytes out(room + 1, std::byte{0xAA});
        LzwBytes bytes({out.data(), room});
        EXPECT_EQ(LzwWalk<LzwBytes>(bytes).run(std::span(in).first(in.size() - lzw_read_slack_bytes), room),
                  LzwEnd::enough);
        EXPECT_EQ(out.back(), std::byte{0xAA}) << room;
        EXPECT_TRUE(std::equal(out.begin(), out.end() - 1, picture.begin())) << room;
    }
}

TEST(LzwWalkTest, EveryCutOfTheInputGivesTheSameCount) {
    TempDir dir;
    Bytes picture = samples()[2];
    picture.resize(3000);
    const Bytes strip = compress(dir, picture);
    for (std::size_t step : {1, 2, 3, 5, 100, 1000}) {
        LzwLengths lengths;
        LzwWalk<LzwLengths> walk(lengths);
        Bytes held;
        LzwEnd end = LzwEnd::input;
        for (std::size_t at = 0; at < strip.size() && end == LzwEnd::input; at += step) {
            const std::size_t count = std::min(step, strip.size() - at);
            held.insert(held.end(), strip.begin() + static_cast<std::ptrdiff_t>(at),
                        strip.begin() + static_cast<std::ptrdiff_t>(at + count));
            const Bytes in = with_slack(held);
            end = walk.run(std::span(in).first(held.size()), picture.size() + 1);
            held.erase(held.begin(), held.begin() + static_cast<std::ptrdiff_t>(walk.read_bytes()));
        }
        EXPECT_EQ(end, LzwEnd::mark) << step;
        EXPECT_EQ(walk.decoded_bytes(), picture.size()) << step;
    }
}

TEST(LzwWalkTest, CodesThatCantBeAreDamage) {
    // Clear, then a code beyond the table; and, without anything before it, the newest code.
    for (const Bytes& codes : {Bytes{std::byte{0x80}, std::byte{0x3F}, std::byte{0xFF}, std::byte{0xFF}},
                               Bytes{std::byte{0x80}, std::byte{0x40}, std::byte{0x80}, std::byte{0x00}}}) {
        const Bytes in = with_slack(codes);
        Bytes out(100);
        LzwBytes bytes(out);
        EXPECT_EQ(LzwWalk<LzwBytes>(bytes).run(std::span(in).first(codes.size()), out.size()), LzwEnd::damaged);
    }
}

}  // namespace
}  // namespace opispool::opi::test
