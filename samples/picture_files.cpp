// SPDX-License-Identifier: AGPL-3.0-or-later
#include "samples/picture_files.h"

#include <cstddef>
#include <cstdio>
// jpeglib.h needs size_t and FILE from the headers above.
#include <jpeglib.h>
#include <tiffio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

namespace opispool::samples {

namespace {

using TiffHandle = std::unique_ptr<TIFF, decltype(&TIFFClose)>;
using FileHandle = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

void set_tags(TIFF* tiff, const Pixels& pixels, const TiffForm& form) {
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, pixels.width_px);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, pixels.height_px);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, pixels.channels);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, pixels.bits);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, form.photometric);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, form.compression);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(tiff, TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
    TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT, RESUNIT_INCH);
    TIFFSetField(tiff, TIFFTAG_XRESOLUTION, 300.0);
    TIFFSetField(tiff, TIFFTAG_YRESOLUTION, 300.0);
    if (form.predictor != 1) TIFFSetField(tiff, TIFFTAG_PREDICTOR, form.predictor);
    if (form.tile_px != 0) {
        TIFFSetField(tiff, TIFFTAG_TILEWIDTH, form.tile_px);
        TIFFSetField(tiff, TIFFTAG_TILELENGTH, form.tile_px);
    } else {
        TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, form.rows_per_strip);
    }
}

bool write_rows(TIFF* tiff, const Pixels& pixels) {
    std::vector<std::uint8_t> row(pixels.row_bytes());
    for (std::uint32_t y = 0; y < pixels.height_px; ++y) {
        std::memcpy(row.data(), pixels.data.data() + y * row.size(), row.size());
        if (TIFFWriteScanline(tiff, row.data(), y) < 0) return false;
    }
    return true;
}

// Tiles of 8-bit samples; the part of a tile outside the picture repeats the last column and row.
bool write_tiles(TIFF* tiff, const Pixels& pixels, std::uint32_t tile_px) {
    const auto sample_bytes = static_cast<std::size_t>(pixels.channels);
    std::vector<std::uint8_t> tile(tile_px * tile_px * sample_bytes);
    for (std::uint32_t ty = 0; ty < pixels.height_px; ty += tile_px) {
        for (std::uint32_t tx = 0; tx < pixels.width_px; tx += tile_px) {
            for (std::uint32_t y = 0; y < tile_px; ++y) {
                for (std::uint32_t x = 0; x < tile_px; ++x) {
                    const std::size_t from = std::min(ty + y, pixels.height_px - 1) * pixels.row_bytes() +
                                             std::min(tx + x, pixels.width_px - 1) * sample_bytes;
                    std::memcpy(&tile[(y * tile_px + x) * sample_bytes], &pixels.data[from], sample_bytes);
                }
            }
            if (TIFFWriteTile(tiff, tile.data(), tx, ty, 0, 0) < 0) return false;
        }
    }
    return true;
}

Pixels room_for(std::uint32_t width_px, std::uint32_t height_px, int channels, int bits) {
    Pixels pixels{width_px, height_px, channels, bits, {}};
    pixels.data.resize(pixels.row_bytes() * height_px);
    return pixels;
}

bool read_tiles(TIFF* tiff, Pixels& pixels, std::uint32_t tile_px) {
    const auto sample_bytes = static_cast<std::size_t>(pixels.channels);
    std::vector<std::uint8_t> tile(static_cast<std::size_t>(TIFFTileSize(tiff)));
    for (std::uint32_t ty = 0; ty < pixels.height_px; ty += tile_px) {
        for (std::uint32_t tx = 0; tx < pixels.width_px; tx += tile_px) {
            if (TIFFReadTile(tiff, tile.data(), tx, ty, 0, 0) < 0) return false;
            const std::size_t used = std::min(tile_px, pixels.width_px - tx) * sample_bytes;
            for (std::uint32_t y = 0; y < std::min(tile_px, pixels.height_px - ty); ++y)
                std::memcpy(&pixels.data[(ty + y) * pixels.row_bytes() + tx * sample_bytes],
                            &tile[y * tile_px * sample_bytes], used);
        }
    }
    return true;
}

}  // namespace

Result<void> write_tiff(const std::string& path, const Pixels& pixels, const TiffForm& form) {
    const TiffHandle tiff(TIFFOpen(path.c_str(), form.mode), &TIFFClose);
    if (!tiff) return fail(Code::io, Operation::write, "the TIFF can't be created", path);
    set_tags(tiff.get(), pixels, form);
    const bool written =
        form.tile_px != 0 ? write_tiles(tiff.get(), pixels, form.tile_px) : write_rows(tiff.get(), pixels);
    if (!written || TIFFFlush(tiff.get()) == 0)
        return fail(Code::io, Operation::write, "the TIFF can't be written", path);
    return {};
}

Result<void> write_jpeg(const std::string& path, const Pixels& pixels, int quality) {
    const FileHandle file(std::fopen(path.c_str(), "wbe"), &std::fclose);
    if (!file) return fail(error_from_errno(errno, Operation::write, path));
    jpeg_compress_struct jpeg{};
    jpeg_error_mgr errors{};
    jpeg.err = jpeg_std_error(&errors);  // a failure ends this program with libjpeg's text
    jpeg_create_compress(&jpeg);
    jpeg_stdio_dest(&jpeg, file.get());
    jpeg.image_width = pixels.width_px;
    jpeg.image_height = pixels.height_px;
    jpeg.input_components = pixels.channels;
    jpeg.in_color_space = JCS_RGB;
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, quality, TRUE);
    jpeg_start_compress(&jpeg, TRUE);
    std::vector<std::uint8_t> row(pixels.row_bytes());
    while (jpeg.next_scanline < jpeg.image_height) {
        std::memcpy(row.data(), pixels.data.data() + jpeg.next_scanline * row.size(), row.size());
        JSAMPROW rows = row.data();
        jpeg_write_scanlines(&jpeg, &rows, 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    return {};
}

Result<Pixels> read_tiff(const std::string& path) {
    const TiffHandle tiff(TIFFOpen(path.c_str(), "r"), &TIFFClose);
    if (!tiff) return fail(Code::bad_image, Operation::open, "is not a readable TIFF", path);
    std::uint32_t width = 0, height = 0, tile = 0;
    std::uint16_t channels = 1, bits = 1;
    TIFFGetField(tiff.get(), TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(tiff.get(), TIFFTAG_IMAGELENGTH, &height);
    TIFFGetFieldDefaulted(tiff.get(), TIFFTAG_SAMPLESPERPIXEL, &channels);
    TIFFGetFieldDefaulted(tiff.get(), TIFFTAG_BITSPERSAMPLE, &bits);
    Pixels pixels = room_for(width, height, channels, bits);
    bool good = true;
    if (TIFFIsTiled(tiff.get()) != 0) {
        TIFFGetField(tiff.get(), TIFFTAG_TILEWIDTH, &tile);
        good = read_tiles(tiff.get(), pixels, tile);
    } else {
        for (std::uint32_t y = 0; good && y < height; ++y)
            good = TIFFReadScanline(tiff.get(), pixels.data.data() + y * pixels.row_bytes(), y) >= 0;
    }
    if (!good) return fail(Code::bad_image, Operation::decode, "its pixels can't be decoded", path);
    return pixels;
}

Result<Pixels> read_jpeg(const std::string& path) {
    const FileHandle file(std::fopen(path.c_str(), "rbe"), &std::fclose);
    if (!file) return fail(error_from_errno(errno, Operation::open, path));
    jpeg_decompress_struct jpeg{};
    jpeg_error_mgr errors{};
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_decompress(&jpeg);
    jpeg_stdio_src(&jpeg, file.get());
    jpeg_read_header(&jpeg, TRUE);
    jpeg.out_color_space = JCS_RGB;
    jpeg_start_decompress(&jpeg);
    Pixels pixels = room_for(jpeg.output_width, jpeg.output_height, 3, 8);
    while (jpeg.output_scanline < jpeg.output_height) {
        JSAMPROW row = pixels.data.data() + jpeg.output_scanline * pixels.row_bytes();
        jpeg_read_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_decompress(&jpeg);
    jpeg_destroy_decompress(&jpeg);
    return pixels;
}

Result<void> write_file(const std::string& path, const void* bytes, std::size_t length_bytes) {
    FileHandle file(std::fopen(path.c_str(), "wbe"), &std::fclose);
    if (!file) return fail(error_from_errno(errno, Operation::write, path));
    const bool written = std::fwrite(bytes, 1, length_bytes, file.get()) == length_bytes;
    if (std::fclose(file.release()) != 0 || !written) return fail(error_from_errno(errno, Operation::write, path));
    return {};
}

}  // namespace opispool::samples
