// SPDX-License-Identifier: AGPL-3.0-or-later
// One row of TIFF samples to one row of PostScript image samples: 16 bits to 8, planes interleaved, extra samples
// dropped, a sample map applied. Pure arithmetic.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace opispool::opi {

// What leaves for the RIP.
struct RowFormat {
    std::uint32_t width_px = 0;
    std::uint16_t bits_in = 8, samples_in = 1;
    bool planes_apart = false;
    std::uint16_t first_sample = 0, colours = 1;  // the samples that are sent
    std::uint16_t bits_out = 8;                   // 8, or bits_in when rows are sent as they are
    enum class Coding : std::uint8_t { plain, cie_lab, icc_lab };
    Coding coding = Coding::plain;  // Lab becomes sRGB; CIELab has signed a and b, ICCLab has them from 128 on
    bool keep_index = false;        // palette indices: widened, never scaled
    // The sample that holds an alpha the colours were multiplied with; they are divided by it, so that the colour is
    // shown.
    std::optional<std::uint16_t> associated_alpha;
    std::uint8_t clear_value = 255;  // of every colour where that alpha is 0: paper
    std::optional<std::array<std::uint8_t, 256>> map;

    std::size_t row_bytes_in() const;  // of one plane
    std::size_t row_bytes_out() const;
    // The planes that have to be read: those that are sent, and all when an alpha is among the others.
    std::size_t first_plane() const { return planes_apart && !associated_alpha ? first_sample : 0U; }
    std::size_t planes() const { return !planes_apart ? 1U : associated_alpha ? samples_in : colours; }
    std::uint16_t samples_per_plane() const { return planes_apart ? std::uint16_t{1} : samples_in; }
    // All samples of the only plane that is read are sent, and none is computed.
    bool takes_whole_plane() const {
        return colours == samples_per_plane() && !associated_alpha && !map && coding == Coding::plain;
    }
    bool copies_rows() const { return bits_out == bits_in && takes_whole_plane(); }
};

// planes  one row of each of planes() planes, 16-bit samples in the byte order of this machine; out: row_bytes_out()
void convert_row(const RowFormat& format, std::span<const std::span<const std::byte>> planes, std::span<std::byte> out);

// Swaps the bytes of 16-bit samples, and turns round the bits of every byte.
void swap_bytes_16(std::span<std::byte> row);
void reverse_bits(std::span<std::byte> row);

}  // namespace opispool::opi
