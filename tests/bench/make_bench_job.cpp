// SPDX-License-Identifier: AGPL-3.0-or-later
// make_bench_job FOLDER PICTURES MEGABYTES: FOLDER/store/picture-N.tif, uncompressed CMYK, MEGABYTES each, and
// FOLDER/job.ps, a thin job of some 40 KB that places all of them.
#include <tiffio.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "base/text.h"

namespace {

constexpr std::uint32_t width_px = 8192;  // one row is 32 KiB
constexpr std::uint32_t rows_per_strip = 64;
constexpr std::size_t row_bytes = width_px * 4;

// Rows that are not all alike, so that nothing on the way can cheat; quick to make.
bool write_picture(const std::string& path, std::uint32_t height_px, std::uint32_t seed) {
    const std::unique_ptr<TIFF, decltype(&TIFFClose)> tiff(TIFFOpen(path.c_str(), "w"), &TIFFClose);
    if (!tiff) return false;
    TIFFSetField(tiff.get(), TIFFTAG_IMAGEWIDTH, width_px);
    TIFFSetField(tiff.get(), TIFFTAG_IMAGELENGTH, height_px);
    TIFFSetField(tiff.get(), TIFFTAG_SAMPLESPERPIXEL, 4);
    TIFFSetField(tiff.get(), TIFFTAG_BITSPERSAMPLE, 8);
    TIFFSetField(tiff.get(), TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_SEPARATED);
    TIFFSetField(tiff.get(), TIFFTAG_COMPRESSION, COMPRESSION_NONE);
    TIFFSetField(tiff.get(), TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(tiff.get(), TIFFTAG_ROWSPERSTRIP, rows_per_strip);
    std::vector<std::uint8_t> noise(row_bytes * 2), row(row_bytes);
    std::uint32_t state = seed * 2654435761U + 1;
    for (std::uint8_t& byte : noise) {
        state = state * 1664525U + 1013904223U;
        byte = static_cast<std::uint8_t>(state >> 24U);
    }
    for (std::uint32_t y = 0; y < height_px; ++y) {
        const auto from = noise.begin() + static_cast<std::ptrdiff_t>(y * 7919U % row_bytes);
        row.assign(from, from + static_cast<std::ptrdiff_t>(row_bytes));
        row[0] = static_cast<std::uint8_t>(y);
        if (TIFFWriteScanline(tiff.get(), row.data(), y) < 0) return false;
    }
    return TIFFFlush(tiff.get()) != 0;
}

std::string thin_job(std::uint64_t pictures, std::uint32_t height_px) {
    const std::string dimensions = std::to_string(width_px) + " " + std::to_string(height_px);
    std::string text =
        "%!PS-Adobe-3.0\n%%Title: (Bench)\n%%Pages: 1\n%%BoundingBox: 0 0 595 842\n%%EndComments\n%%Page: 1 1\n";
    for (std::uint64_t i = 0; i < pictures; ++i) {
        const std::string bottom = std::to_string(20 + 180 * (i % 4)), top = std::to_string(190 + 180 * (i % 4));
        text += "gsave\n%ALDImageFilename: Server:Bench:picture-" + std::to_string(i) +
                ".tif\n%ALDImageDimensions: " + dimensions + "\n%ALDImageCropRect: 0 0 " + dimensions +
                "\n%ALDImagePosition: 20 " + bottom + " 20 " + top + " 575 " + top + " 575 " + bottom +
                "\n%%BeginObject: image\n0.8 setgray 20 " + bottom + " 555 170 rectfill\n%%EndObject\ngrestore\n";
    }
    text += "/Times-Roman findfont 3 scalefont setfont 0 setgray\n";
    for (int line = 0; text.size() < 40'000; ++line)
        text += "24 " + std::to_string(820 - line % 250 * 3) + " moveto (A line of text of an ordinary page, number " +
                std::to_string(line) + ") show\n";
    return text + "showpage\n%%Trailer\n%%EOF\n";
}

}  // namespace

int main(int argc, char** argv) {
    const auto pictures = argc == 4 ? opispool::parse_u64(argv[2]) : std::nullopt;
    const auto megabytes = argc == 4 ? opispool::parse_u64(argv[3]) : std::nullopt;
    if (!pictures || !megabytes || *megabytes == 0 || *megabytes > 4000) {
        std::fprintf(stderr, "usage: make_bench_job FOLDER PICTURES MEGABYTES\n");
        return 2;
    }
    const std::filesystem::path folder = argv[1];
    std::filesystem::create_directories(folder / "store");
    const auto height_px = static_cast<std::uint32_t>(*megabytes * 1'000'000 / row_bytes);
    for (std::uint64_t i = 0; i < *pictures; ++i) {
        const std::string path = (folder / "store" / ("picture-" + std::to_string(i) + ".tif")).string();
        if (!write_picture(path, height_px, static_cast<std::uint32_t>(i))) {
            std::fprintf(stderr, "%s can't be written\n", path.c_str());
            return 1;
        }
    }
    std::ofstream job(folder / "job.ps", std::ios::binary);
    job << thin_job(*pictures, height_px);
    return job.good() ? 0 : 1;
}
