// SPDX-License-Identifier: AGPL-3.0-or-later
// make_bench_job FOLDER PICTURES MEGABYTES FORM: FOLDER/store/picture-N.tif, MEGABYTES of samples each, and
// FOLDER/job.ps, a thin job of some 40 KB that places all of them. FORM: plain (CMYK, uncompressed), lzw, deflate,
// packbits, jpeg (RGB), g4 (1 bit), and what has to be decoded for a RIP: tiles, planes, deep (16 bits), predictor.
#include <tiffio.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace {

constexpr std::uint32_t width_px = 8192;  // one row is 32 KiB
constexpr std::uint32_t rows_per_strip = 64;

struct Form {
    std::string_view name;
    std::uint16_t compression = COMPRESSION_NONE;
    std::uint16_t channels = 4;
    std::uint16_t bits = 8;
    std::uint16_t predictor = 1;
    std::uint16_t planes = PLANARCONFIG_CONTIG;
    bool tiled = false;
};

constexpr Form forms[] = {
    {"plain"},
    {"lzw", COMPRESSION_LZW},
    {"deflate", COMPRESSION_ADOBE_DEFLATE},
    {"packbits", COMPRESSION_PACKBITS},
    {"jpeg", COMPRESSION_JPEG, 3},
    {"g4", COMPRESSION_CCITTFAX4, 1, 1},
    {"tiles", COMPRESSION_LZW, 4, 8, 1, PLANARCONFIG_CONTIG, true},
    {"planes", COMPRESSION_LZW, 4, 8, 1, PLANARCONFIG_SEPARATE},
    {"deep", COMPRESSION_LZW, 4, 16},
    {"predictor", COMPRESSION_LZW, 4, 8, 2},
};

// Smooth tones with a little noise, like a photograph; no two rows alike, so that nothing on the way can cheat.
// Quick to make. One bit a sample: bars, like line art.
void fill(std::vector<std::uint8_t>& part, std::size_t row_bytes, bool line_art, std::uint32_t& state) {
    for (std::size_t i = 0; i < part.size(); ++i) {
        state = state * 1664525U + 1013904223U;
        const std::size_t x = i % row_bytes, y = i / row_bytes;
        part[i] = line_art ? static_cast<std::uint8_t>((x / 5 + y / 7) % 3 == 0 ? 0xff : 0)
                           : static_cast<std::uint8_t>((x / 64 + y + i % 4 * 50) % 200 + (state >> 30U));
    }
    if (!line_art && !part.empty()) part[0] = static_cast<std::uint8_t>(state >> 24U);
}

bool write_picture(const std::string& path, const Form& form, std::uint32_t height_px, std::uint32_t seed) {
    const std::unique_ptr<TIFF, decltype(&TIFFClose)> tiff(TIFFOpen(path.c_str(), "w"), &TIFFClose);
    if (!tiff) return false;
    const auto photometric = form.channels == 4   ? PHOTOMETRIC_SEPARATED
                             : form.channels == 3 ? PHOTOMETRIC_YCBCR
                                                  : PHOTOMETRIC_MINISWHITE;
    TIFFSetField(tiff.get(), TIFFTAG_IMAGEWIDTH, width_px);
    TIFFSetField(tiff.get(), TIFFTAG_IMAGELENGTH, height_px);
    TIFFSetField(tiff.get(), TIFFTAG_SAMPLESPERPIXEL, form.channels);
    TIFFSetField(tiff.get(), TIFFTAG_BITSPERSAMPLE, form.bits);
    TIFFSetField(tiff.get(), TIFFTAG_PHOTOMETRIC, photometric);
    TIFFSetField(tiff.get(), TIFFTAG_COMPRESSION, form.compression);
    TIFFSetField(tiff.get(), TIFFTAG_PLANARCONFIG, form.planes);
    if (form.compression == COMPRESSION_JPEG) TIFFSetField(tiff.get(), TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    if (form.predictor != 1) TIFFSetField(tiff.get(), TIFFTAG_PREDICTOR, form.predictor);
    if (form.tiled) {
        TIFFSetField(tiff.get(), TIFFTAG_TILEWIDTH, 256);
        TIFFSetField(tiff.get(), TIFFTAG_TILELENGTH, 256);
    } else {
        TIFFSetField(tiff.get(), TIFFTAG_ROWSPERSTRIP, rows_per_strip);
    }
    std::vector<std::uint8_t> part(
        static_cast<std::size_t>(form.tiled ? TIFFTileSize(tiff.get()) : TIFFStripSize(tiff.get())));
    const auto row_bytes =
        static_cast<std::size_t>(form.tiled ? TIFFTileRowSize(tiff.get()) : TIFFScanlineSize(tiff.get()));
    std::uint32_t state = seed * 2654435761U + 1;
    const std::uint32_t parts = form.tiled ? TIFFNumberOfTiles(tiff.get()) : TIFFNumberOfStrips(tiff.get());
    for (std::uint32_t i = 0; i < parts; ++i) {
        fill(part, row_bytes, form.bits == 1, state);
        const auto size = static_cast<tmsize_t>(part.size());
        const tmsize_t put = form.tiled ? TIFFWriteEncodedTile(tiff.get(), i, part.data(), size)
                                        : TIFFWriteEncodedStrip(tiff.get(), i, part.data(), size);
        if (put < 0) return false;
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
    const std::uint64_t pictures = argc == 5 ? opispool::parse_u64(argv[2]).value_or(0) : 0;
    const std::uint64_t megabytes = argc == 5 ? opispool::parse_u64(argv[3]).value_or(0) : 0;
    const auto* form = std::find_if(std::begin(forms), std::end(forms),
                                    [&](const Form& known) { return argc == 5 && known.name == argv[4]; });
    if (pictures == 0 || megabytes == 0 || megabytes > 4000 || form == std::end(forms)) {
        std::fprintf(stderr, "usage: make_bench_job FOLDER PICTURES MEGABYTES FORM\n");
        return 2;
    }
    const std::filesystem::path folder = argv[1];
    std::filesystem::create_directories(folder / "store");
    const std::uint64_t row_bits = std::uint64_t{width_px} * form->channels * form->bits;
    // Whole strips: the last one needs no rule of its own.
    const std::uint64_t strips = std::max<std::uint64_t>(1, megabytes * 8'000'000 / row_bits / rows_per_strip);
    const auto height_px = static_cast<std::uint32_t>(strips * rows_per_strip);
    for (std::uint64_t i = 0; i < pictures; ++i) {
        const std::string path = (folder / "store" / ("picture-" + std::to_string(i) + ".tif")).string();
        if (!write_picture(path, *form, height_px, static_cast<std::uint32_t>(i))) {
            std::fprintf(stderr, "%s can't be written\n", path.c_str());
            return 1;
        }
    }
    std::ofstream job(folder / "job.ps", std::ios::binary);
    job << thin_job(pictures, height_px);
    return job.good() ? 0 : 1;
}
