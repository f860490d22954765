// SPDX-License-Identifier: AGPL-3.0-or-later
// make_samples STORE TRUTH: paints the sample pictures into the store, then reads every file back and writes its pixels
// as raw bytes with a PostScript prolog that paints them. The prolog is what the plates are judged by; it shares no
// code with the spooler.
#include <tiff.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "samples/picture_files.h"
#include "samples/pictures.h"

namespace opispool::samples {

namespace {

std::uint8_t level(double value) {
    return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0, 1.0) * 255));
}

// Calls `shade(x, y, u, v, sample)` for each pixel, on two threads.
Pixels paint(std::uint32_t width_px, std::uint32_t height_px, int channels,
             const std::function<void(std::uint32_t, std::uint32_t, double, double, std::uint8_t*)>& shade) {
    Pixels pixels{width_px, height_px, channels, 8, {}};
    pixels.data.resize(pixels.row_bytes() * height_px);
    auto band = [&](std::uint32_t from, std::uint32_t to) {
        for (std::uint32_t y = from; y < to; ++y)
            for (std::uint32_t x = 0; x < width_px; ++x)
                shade(x, y, (x + 0.5) / width_px, (y + 0.5) / height_px,
                      &pixels.data[y * pixels.row_bytes() + x * static_cast<std::size_t>(channels)]);
    };
    std::thread lower(band, height_px / 2, height_px);
    band(0, height_px / 2);
    lower.join();
    return pixels;
}

// Two places within the pixel keep edges from stepping.
Rgb averaged(Rgb (*scene)(double, double), double u, double v, double du, double dv) {
    const Rgb a = scene(u - du / 4, v - dv / 4), b = scene(u + du / 4, v + dv / 4);
    return {(a.r + b.r) / 2, (a.g + b.g) / 2, (a.b + b.b) / 2};
}

Pixels paint_rgb(Rgb (*scene)(double, double), std::uint32_t width_px, std::uint32_t height_px, double noise) {
    return paint(width_px, height_px, 3, [=](std::uint32_t x, std::uint32_t y, double u, double v, std::uint8_t* out) {
        const Rgb c = averaged(scene, u, v, 1.0 / width_px, 1.0 / height_px);
        out[0] = level(c.r + noise * grain(x, y, 0));
        out[1] = level(c.g + noise * grain(x, y, 1));
        out[2] = level(c.b + noise * grain(x, y, 2));
    });
}

// A plain separation: the darker the tone, the more of its gray goes to the black plate.
Pixels paint_cmyk(Rgb (*scene)(double, double), std::uint32_t width_px, std::uint32_t height_px, double noise) {
    return paint(width_px, height_px, 4, [=](std::uint32_t x, std::uint32_t y, double u, double v, std::uint8_t* out) {
        const Rgb c = averaged(scene, u, v, 1.0 / width_px, 1.0 / height_px);
        const double gray = 1 - std::clamp(std::max({c.r, c.g, c.b}), 0.0, 1.0), black = 0.85 * std::pow(gray, 1.6);
        out[0] = level((1 - c.r - black) / (1 - black) + noise * grain(x, y, 0));
        out[1] = level((1 - c.g - black) / (1 - black) + noise * grain(x, y, 1));
        out[2] = level((1 - c.b - black) / (1 - black) + noise * grain(x, y, 2));
        out[3] = level(black);
    });
}

Pixels paint_gray(double (*scene)(double, double), std::uint32_t width_px, std::uint32_t height_px, double noise) {
    return paint(width_px, height_px, 1, [=](std::uint32_t x, std::uint32_t y, double u, double v, std::uint8_t* out) {
        *out = level(scene(u, v) + noise * grain(x, y, 0));
    });
}

// WhiteIsZero: a set bit is ink.
Pixels paint_line_art(bool (*scene)(double, double), std::uint32_t width_px, std::uint32_t height_px) {
    const Pixels ink =
        paint(width_px, height_px, 1,
              [=](std::uint32_t, std::uint32_t, double u, double v, std::uint8_t* out) { *out = scene(u, v) ? 1 : 0; });
    Pixels bits{width_px, height_px, 1, 1, {}};
    bits.data.resize(bits.row_bytes() * height_px);
    for (std::uint32_t y = 0; y < height_px; ++y)
        for (std::uint32_t x = 0; x < width_px; ++x)
            if (ink.data[y * ink.row_bytes() + x] != 0)
                bits.data[y * bits.row_bytes() + x / 8] |= static_cast<std::uint8_t>(0x80U >> (x % 8));
    return bits;
}

// `/NAME` paints the picture's full frame into the unit square, in the colour space of its channels; `/NAME_in` paints
// it in the colour space already set, the way gray and line art take an ink: with Decode [1 0], dark is ink.
std::string painter(const std::string& name, const Pixels& pixels) {
    const std::string w = std::to_string(pixels.width_px), h = std::to_string(pixels.height_px);
    const std::string body = "/Width " + w + " /Height " + h + " /BitsPerComponent " + std::to_string(pixels.bits) +
                             " /ImageMatrix [" + w + " 0 0 -" + h + " 0 " + h + "] /DataSource (truth/" + name +
                             ".raw) (r) file";
    const char* space = pixels.channels == 4 ? "/DeviceCMYK" : pixels.channels == 3 ? "/DeviceRGB" : "/DeviceGray";
    std::string text;
    if (pixels.bits == 1) {
        return "/" + name + "_mask { << /ImageType 1 /Decode [1 0] " + body + " >> imagemask } def\n";
    }
    std::string decode = "[";
    for (int i = 0; i < pixels.channels; ++i) decode += "0 1 ";
    text += "/" + name + " { " + space + " setcolorspace << /ImageType 1 /Decode " + decode + "] " + body +
            " >> image } def\n";
    if (pixels.channels == 1)
        text += "/" + name + "_in { /tint exch def << /ImageType 1 /Decode [tint 0] " + body + " >> image } def\n";
    return text;
}

Result<void> save(const std::string& folder, const std::string& file, const Pixels& pixels, const TiffForm* form) {
    const std::string path = folder + "/" + file;
    const auto written = form != nullptr ? write_tiff(path, pixels, *form) : write_jpeg(path, pixels, 92);
    if (!written) return fail(written.error());
    std::printf("  %-22s %5u x %-5u %d x %d bit  %s\n", file.c_str(), pixels.width_px, pixels.height_px,
                pixels.channels, pixels.bits, file.ends_with(".jpg") ? "JPEG" : "TIFF");
    return {};
}

// Reads the file that was just written: the truth is what another program decodes, not what was meant.
Result<void> add_truth(const std::string& store, const std::string& truth, const std::string& file,
                       std::string& prolog) {
    const auto pixels = file.ends_with(".jpg") ? read_jpeg(store + "/" + file) : read_tiff(store + "/" + file);
    if (!pixels) return fail(pixels.error());
    const std::string name = file.substr(0, file.find('.'));
    prolog += painter(name, *pixels);
    return write_file(truth + "/" + name + ".raw", pixels->data.data(), pixels->data.size());
}

Result<void> make_all(const std::string& store, const std::string& truth) {
    const TiffForm lzw{COMPRESSION_LZW, PHOTOMETRIC_SEPARATED, 1, 40, 0, "wl"};
    const TiffForm raw{COMPRESSION_NONE, PHOTOMETRIC_RGB, 1, 128, 0, "wb"};
    const TiffForm deflate{COMPRESSION_ADOBE_DEFLATE, PHOTOMETRIC_MINISBLACK, 2, 256, 0, "wl"};
    const TiffForm fax{COMPRESSION_CCITTFAX4, PHOTOMETRIC_MINISWHITE, 1, 4000, 0, "wb"};
    const TiffForm tiles{COMPRESSION_PACKBITS, PHOTOMETRIC_SEPARATED, 1, 0, 256, "wl"};
    struct Sample {
        std::string file;
        Pixels pixels;
        const TiffForm* form;
    };
    const std::vector<Sample> samples{{"harbour.tif", paint_cmyk(harbour_at_dusk, 2400, 1600, 0.012), &lzw},
                                      {"fruit.tif", paint_rgb(fruit_on_a_table, 1500, 1500, 0.012), &raw},
                                      {"dunes.tif", paint_gray(dunes_by_moonlight, 1800, 1200, 0.015), &deflate},
                                      {"chart.tif", paint_line_art(sea_chart_ink, 3600, 2400), &fax},
                                      {"still-life.tif", paint_cmyk(fruit_on_a_table, 1100, 1100, 0), &tiles},
                                      {"balloons.jpg", paint_rgb(balloons_over_hills, 2100, 1400, 0.008), nullptr}};
    std::string prolog = "%!PS\n% Paints the decoded pixels of the sample pictures; made by make_samples.\n";
    for (const Sample& sample : samples) {
        if (auto done = save(store, sample.file, sample.pixels, sample.form); !done) return done;
        if (auto done = add_truth(store, truth, sample.file, prolog); !done) return done;
    }
    return write_file(truth + "/pictures.ps", prolog.data(), prolog.size());
}

}  // namespace

}  // namespace opispool::samples

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: make_samples STORE TRUTH\n");
        return 2;
    }
    const std::string store = argv[1], truth = argv[2];
    std::filesystem::create_directories(store);
    std::filesystem::create_directories(truth);
    const auto made = opispool::samples::make_all(store, truth);
    if (!made) std::fprintf(stderr, "make_samples: %s\n", opispool::describe(made.error()).c_str());
    return made ? 0 : 1;
}
