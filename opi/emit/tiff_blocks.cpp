// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/emit/tiff_blocks.h"

#include <tiffio.h>

#include <array>
#include <bit>
#include <cstring>

#include "opi/emit/lzw_walk.h"
#include "opi/emit/row_convert.h"

namespace opispool::opi {

namespace {

template <typename Sample>
void undo_differences(std::span<std::byte> row, std::size_t stride) {
    const std::size_t count = row.size() / sizeof(Sample);
    for (std::size_t i = stride; i < count; ++i) {
        Sample before = 0, sample = 0;
        std::memcpy(&before, row.data() + (i - stride) * sizeof(Sample), sizeof(Sample));
        std::memcpy(&sample, row.data() + i * sizeof(Sample), sizeof(Sample));
        sample = static_cast<Sample>(sample + before);
        std::memcpy(row.data() + i * sizeof(Sample), &sample, sizeof(Sample));
    }
}

// The same with the pixel before held in registers.
template <typename Sample, std::size_t stride>
void undo_differences(std::span<std::byte> row) {
    constexpr std::size_t pixel_bytes = stride * sizeof(Sample);
    std::array<Sample, stride> sum{}, pixel{};
    for (std::size_t at = 0; at + pixel_bytes <= row.size(); at += pixel_bytes) {
        std::memcpy(pixel.data(), row.data() + at, pixel_bytes);
        for (std::size_t c = 0; c < stride; ++c) sum[c] = static_cast<Sample>(sum[c] + pixel[c]);
        std::memcpy(row.data() + at, sum.data(), pixel_bytes);
    }
}

// Four bytes are summed in one word, the carries of the highest bits kept apart.
void undo_differences_of_four(std::span<std::byte> row) {
    constexpr std::uint32_t low = 0x7f7f7f7fU;
    std::uint32_t sum = 0, pixel = 0;
    for (std::size_t at = 0; at + 4 <= row.size(); at += 4) {
        std::memcpy(&pixel, row.data() + at, 4);
        sum = ((sum & low) + (pixel & low)) ^ ((sum ^ pixel) & ~low);
        std::memcpy(row.data() + at, &sum, 4);
    }
}

void complete_samples(const TiffDirectory& d, std::span<std::byte> samples) {
    if (d.bits == 16 && d.big_endian != (std::endian::native == std::endian::big)) swap_bytes_16(samples);
    if (d.predictor != 2) return;
    const std::size_t stride = d.planes_apart ? 1U : d.samples;
    const auto row_bytes = static_cast<std::size_t>(d.row_bytes());
    for (std::size_t at = 0; at < samples.size(); at += row_bytes)
        (d.bits == 16 ? undo_differences_16 : undo_differences_8)(samples.subspan(at, row_bytes), stride);
}

}  // namespace

void undo_differences_8(std::span<std::byte> row, std::size_t stride) {
    if (stride == 1) return undo_differences<std::uint8_t, 1>(row);
    if (stride == 3) return undo_differences<std::uint8_t, 3>(row);
    if (stride == 4) return undo_differences_of_four(row);
    undo_differences<std::uint8_t>(row, stride);
}

void undo_differences_16(std::span<std::byte> row, std::size_t stride) {
    if (stride == 1) return undo_differences<std::uint16_t, 1>(row);
    if (stride == 3) return undo_differences<std::uint16_t, 3>(row);
    if (stride == 4) return undo_differences<std::uint16_t, 4>(row);
    undo_differences<std::uint16_t>(row, stride);
}

Result<std::unique_ptr<TiffScanlines>> TiffScanlines::open(std::shared_ptr<const MappedFile> file,
                                                           std::shared_ptr<const TiffDirectory> directory,
                                                           std::uint16_t plane) {
    auto handle = TiffHandle::open(std::move(file), directory->offset_bytes);
    if (!handle) return fail(std::move(handle.error()));
    if (directory->compression == tiff::jpeg) TIFFSetField((*handle)->get(), TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    const tmsize_t size = TIFFScanlineSize((*handle)->get());
    if (size < 0 || static_cast<std::uint64_t>(size) < directory->row_bytes())
        return fail((*handle)->error("the rows of the image have no usable size"));
    return std::unique_ptr<TiffScanlines>(
        new TiffScanlines(std::move(*handle), std::move(directory), plane, static_cast<std::size_t>(size)));
}

Result<void> TiffScanlines::read(std::uint32_t row, std::span<std::byte> out) {
    const int state = TIFFReadScanline(handle_->get(), line_.data(), row, plane_);
    if (state < 0 || !handle_->complaint().empty()) return fail(handle_->error(short_strip_text(*directory_, row)));
    std::memcpy(out.data(), line_.data(), out.size());
    return {};
}

Result<void> TiffBlockDecoder::decode(std::uint64_t block, std::span<std::byte> out) {
    auto done = decode_here(directory_->blocks[static_cast<std::size_t>(block)], out);
    if (!done) return fail(std::move(done.error()));
    return *done ? Result<void>{} : decode_by_libtiff(block, out);
}

Result<bool> TiffBlockDecoder::decode_here(const TiffBlock& block, std::span<std::byte> out) {
    const TiffDirectory& d = *directory_;
    const bool deflate = d.compression == tiff::deflate || d.compression == tiff::old_deflate;
    const bool simple = d.predictor == 1 || (d.predictor == 2 && (d.bits == 8 || d.bits == 16));
    // No encoder makes data this much longer; the length may be a lie.
    const bool believable = block.length_bytes <= 2 * std::uint64_t{out.size()} + 1024;
    if ((d.compression != tiff::lzw && !deflate) || !simple || !believable || d.fill_order != 1) return false;
    const auto length = static_cast<std::size_t>(block.length_bytes);
    const auto bytes = std::make_unique_for_overwrite<std::byte[]>(length + lzw_read_slack_bytes);
    const std::span<std::byte> in(bytes.get(), length);
    auto got = file_->read_at(block.offset_bytes, in);
    if (!got) return fail(std::move(got.error()));
    if (*got != length) return false;
    if (deflate) {
        if (inflater_.run(in, out) != out.size()) return false;
    } else {
        // The old style begins with a clear code that has the low end first.
        if (length >= 2 && in[0] == std::byte{0} && (in[1] & std::byte{1}) != std::byte{0}) return false;
        LzwBytes strings(out);
        if (LzwWalk<LzwBytes>(strings).run(in, out.size()) != LzwEnd::enough) return false;
    }
    complete_samples(d, out);
    return true;
}

Result<void> TiffBlockDecoder::decode_by_libtiff(std::uint64_t block, std::span<std::byte> out) {
    const TiffDirectory& d = *directory_;
    if (!handle_) {
        auto handle = TiffHandle::open(file_, d.offset_bytes);
        if (!handle) return fail(std::move(handle.error()));
        handle_ = std::move(*handle);
        if (d.compression == tiff::jpeg) TIFFSetField(handle_->get(), TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    }
    const auto number = static_cast<std::uint32_t>(block);
    const auto size = static_cast<tmsize_t>(out.size());
    const tmsize_t got = d.tiled ? TIFFReadEncodedTile(handle_->get(), number, out.data(), size)
                                 : TIFFReadEncodedStrip(handle_->get(), number, out.data(), size);
    if (got == size && handle_->complaint().empty()) return {};
    const std::unique_ptr<TiffHandle> spoiled = std::move(handle_);
    if (d.tiled)
        return fail(spoiled->error("tile " + std::to_string(block + 1) + " of " + std::to_string(d.blocks.size()) +
                                   " is truncated or damaged"));
    return decode_by_rows(block, out);
}

// The last word on a strip: libtiff delivers the rows there are, and says which one is missing.
Result<void> TiffBlockDecoder::decode_by_rows(std::uint64_t block, std::span<std::byte> out) {
    const TiffDirectory& d = *directory_;
    const std::uint64_t strip = block % d.blocks_per_plane();
    auto lines = TiffScanlines::open(file_, directory_, static_cast<std::uint16_t>(block / d.blocks_per_plane()));
    if (!lines) return fail(std::move(lines.error()));
    const auto row_bytes = static_cast<std::size_t>(d.row_bytes());
    auto row = static_cast<std::uint32_t>(strip * d.block_height_px);
    for (std::size_t at = 0; at < out.size(); at += row_bytes, ++row)
        if (auto read = (*lines)->read(row, out.subspan(at, row_bytes)); !read) return read;
    return {};
}

}  // namespace opispool::opi
