// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/emit/row_convert.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

namespace opispool::opi {

namespace {

// Inner loops of this fixed length become vector code.
constexpr std::size_t batch = 16;

// value * 255 / 65535 to the nearest, without a division: exact for all values.
constexpr std::uint8_t eight_of_sixteen(std::uint32_t value) {
    return static_cast<std::uint8_t>(((value << 8U) - value + 32895U) >> 16U);
}

void narrow_samples(std::span<const std::byte> in, std::span<std::byte> out) {
    std::size_t at = 0;
    std::array<std::uint16_t, batch> wide{};
    std::array<std::uint8_t, batch> narrow{};
    for (; at < out.size(); at += batch) {
        const std::size_t count = std::min(batch, out.size() - at);
        std::memcpy(wide.data(), in.data() + at * 2, count * 2);
        for (std::size_t i = 0; i < batch; ++i) narrow[i] = eight_of_sixteen(wide[i]);
        std::memcpy(out.data() + at, narrow.data(), count);
    }
}

void interleave_four(std::span<const std::span<const std::byte>> planes, std::span<std::byte> out) {
    std::array<std::array<std::byte, batch>, 4> apart{};
    std::array<std::byte, batch * 4> together{};
    for (std::size_t at = 0; at * 4 < out.size(); at += batch) {
        const std::size_t count = std::min(batch, out.size() / 4 - at);
        for (std::size_t c = 0; c < 4; ++c) std::memcpy(apart[c].data(), planes[c].data() + at, count);
        for (std::size_t i = 0; i < batch; ++i) {
            together[i * 4] = apart[0][i];
            together[i * 4 + 1] = apart[1][i];
            together[i * 4 + 2] = apart[2][i];
            together[i * 4 + 3] = apart[3][i];
        }
        std::memcpy(out.data() + at * 4, together.data(), count * 4);
    }
}

std::uint8_t sample_at(const RowFormat& format, std::span<const std::byte> row, std::size_t index) {
    if (format.bits_in == 8) return std::to_integer<std::uint8_t>(row[index]);
    if (format.bits_in == 16) {
        std::uint16_t value = 0;
        std::memcpy(&value, row.data() + index * 2, 2);
        return eight_of_sixteen(value);
    }
    const std::size_t bit = index * format.bits_in;
    const std::uint32_t most = (1U << format.bits_in) - 1U;
    const std::uint32_t value =
        (std::to_integer<std::uint32_t>(row[bit / 8]) >> (8U - format.bits_in - bit % 8)) & most;
    return static_cast<std::uint8_t>(format.keep_index ? value : value * 255U / most);
}

std::uint8_t divided(std::uint8_t value, std::uint8_t alpha, std::uint8_t clear_value) {
    if (alpha == 0) return clear_value;
    return static_cast<std::uint8_t>(std::min(255U, (value * 255U + alpha / 2U) / alpha));
}

// a or b of a sample as a signed number of Lab units.
double chroma(const RowFormat& format, std::span<const std::byte> row, std::size_t index) {
    std::uint16_t value = 0;
    if (format.bits_in == 16)
        std::memcpy(&value, row.data() + index * 2, 2);
    else
        value = static_cast<std::uint16_t>(std::to_integer<unsigned>(row[index]) << 8U);
    if (format.coding == RowFormat::Coding::icc_lab) return value / 256.0 - 128.0;
    return static_cast<std::int16_t>(value) / 256.0;
}

double lightness(const RowFormat& format, std::span<const std::byte> row, std::size_t index) {
    if (format.bits_in == 8) return std::to_integer<unsigned>(row[index]) * 100.0 / 255.0;
    std::uint16_t value = 0;
    std::memcpy(&value, row.data() + index * 2, 2);
    // 16-bit ICCLab ends at 0xFF00.
    return std::min(100.0, value * 100.0 / (format.coding == RowFormat::Coding::icc_lab ? 65280.0 : 65535.0));
}

double inverse_lab(double t) {
    return t > 6.0 / 29 ? t * t * t : 3 * (6.0 / 29) * (6.0 / 29) * (t - 4.0 / 29);
}

std::byte srgb_byte(double linear) {
    const double c = std::clamp(linear, 0.0, 1.0);
    const double coded = c <= 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 1 / 2.4) - 0.055;
    return std::byte{static_cast<std::uint8_t>(std::lround(255 * coded))};
}

// Lab under D50 to sRGB, adapted to its white by Bradford's method, so that paper stays white.
void convert_lab_row(const RowFormat& format, std::span<const std::span<const std::byte>> planes,
                     std::span<std::byte> out) {
    const std::size_t stride = format.samples_per_plane();
    const bool apart = format.planes_apart;
    for (std::size_t x = 0; x < format.width_px; ++x) {
        const std::size_t at = x * stride;
        const double fy = (lightness(format, planes[0], at) + 16) / 116;
        const double a = chroma(format, planes[apart ? 1 : 0], at + (apart ? 0 : 1));
        const double b = chroma(format, planes[apart ? 2 : 0], at + (apart ? 0 : 2));
        const double cx = 0.96422 * inverse_lab(fy + a / 500), cy = inverse_lab(fy),
                     cz = 0.82521 * inverse_lab(fy - b / 200);
        out[x * 3] = srgb_byte(3.1338561 * cx - 1.6168667 * cy - 0.4906146 * cz);
        out[x * 3 + 1] = srgb_byte(-0.9787684 * cx + 1.9161415 * cy + 0.0334540 * cz);
        out[x * 3 + 2] = srgb_byte(0.0719453 * cx - 0.2289914 * cy + 1.4052427 * cz);
    }
}

}  // namespace

std::size_t RowFormat::row_bytes_in() const {
    return (std::size_t{width_px} * bits_in * samples_per_plane() + 7) / 8;
}
std::size_t RowFormat::row_bytes_out() const {
    return (std::size_t{width_px} * bits_out * colours + 7) / 8;
}

void convert_row(const RowFormat& format, std::span<const std::span<const std::byte>> planes,
                 std::span<std::byte> out) {
    if (format.copies_rows()) {
        std::memcpy(out.data(), planes[0].data(), format.row_bytes_out());
        return;
    }
    if (format.coding != RowFormat::Coding::plain) {
        convert_lab_row(format, planes, out);
        return;
    }
    if (format.bits_in == 16 && format.takes_whole_plane()) return narrow_samples(planes[0], out);
    if (format.bits_in == 8 && format.planes_apart && format.colours == 4 && !format.associated_alpha && !format.map)
        return interleave_four(planes, out);
    const std::size_t stride = format.samples_per_plane();
    for (std::size_t c = 0; c < format.colours; ++c) {
        const std::size_t sample = format.first_sample + c;
        const auto row = planes[format.planes_apart ? sample - format.first_plane() : 0];
        const std::size_t first = format.planes_apart ? 0 : sample;
        for (std::size_t x = 0; x < format.width_px; ++x) {
            std::uint8_t value = sample_at(format, row, x * stride + first);
            if (format.associated_alpha) {
                const std::size_t a = *format.associated_alpha;
                const auto alpha_row = format.planes_apart ? planes[a] : planes[0];
                value = divided(value, sample_at(format, alpha_row, x * stride + (format.planes_apart ? 0 : a)),
                                format.clear_value);
            }
            if (format.map) value = (*format.map)[value];
            out[x * format.colours + c] = std::byte{value};
        }
    }
}

void swap_bytes_16(std::span<std::byte> row) {
    for (std::size_t i = 0; i + 1 < row.size(); i += 2) std::swap(row[i], row[i + 1]);
}

void reverse_bits(std::span<std::byte> row) {
    for (std::byte& b : row) {
        auto v = std::to_integer<unsigned>(b);
        v = ((v & 0xF0U) >> 4U) | ((v & 0x0FU) << 4U);
        v = ((v & 0xCCU) >> 2U) | ((v & 0x33U) << 2U);
        v = ((v & 0xAAU) >> 1U) | ((v & 0x55U) << 1U);
        b = std::byte{static_cast<unsigned char>(v)};
    }
}

}  // namespace opispool::opi
