// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/emit/row_convert.h"

#include <gtest/gtest.h>

#include <cstring>

namespace opispool::opi {
namespace {

TEST(RowConvertTest, SixteenBitsAreRoundedToTheNearestOfEight) {
    RowFormat format;
    format.width_px = 65536 + 3;  // not a whole number of vectors
    format.bits_in = 16;
    std::vector<std::byte> in(format.row_bytes_in()), out(format.row_bytes_out() + 1);
    for (std::uint32_t i = 0; i < format.width_px; ++i) {
        const auto value = static_cast<std::uint16_t>(i);
        std::memcpy(in.data() + std::size_t{i} * 2, &value, 2);
    }
    const std::span<const std::byte> plane = in;
    convert_row(format, {&plane, 1}, std::span(out).first(format.row_bytes_out()));
    for (std::uint32_t i = 0; i < format.width_px; ++i)
        ASSERT_EQ(std::to_integer<std::uint32_t>(out[i]), (i % 65536 * 255 + 32767) / 65535) << i;
    EXPECT_EQ(out.back(), std::byte{0});
}

TEST(RowConvertTest, FourPlanesAreInterleavedAtEveryWidth) {
    for (std::uint32_t width = 1; width < 70; ++width) {
        RowFormat format;
        format.width_px = width;
        format.samples_in = format.colours = 4;
        format.planes_apart = true;
        std::vector<std::vector<std::byte>> planes(4, std::vector<std::byte>(width));
        std::vector<std::span<const std::byte>> views;
        for (std::size_t c = 0; c < 4; ++c) {
            for (std::size_t x = 0; x < width; ++x) planes[c][x] = std::byte{static_cast<unsigned char>(c * 64 + x)};
            views.emplace_back(planes[c]);
        }
        std::vector<std::byte> out(format.row_bytes_out() + 1);
        convert_row(format, views, std::span(out).first(format.row_bytes_out()));
        for (std::size_t i = 0; i < format.row_bytes_out(); ++i) ASSERT_EQ(out[i], planes[i % 4][i / 4]) << width;
        EXPECT_EQ(out.back(), std::byte{0}) << width;
    }
}

}  // namespace
}  // namespace opispool::opi
