// SPDX-License-Identifier: AGPL-3.0-or-later
// decode FILE THREADS: the limit of what must be decoded. Reads every strip or tile of a TIFF by libtiff, each thread
// every THREADS-th one through a handle of its own, and throws the samples away. Prints "wall SECONDS cpu 0".
#include <tiffio.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

#include "base/text.h"
#include "tests/bench/loopback.h"

namespace {

void decode(const char* path, std::uint32_t first, std::uint32_t step) {
    const std::unique_ptr<TIFF, decltype(&TIFFClose)> tiff(TIFFOpen(path, "r"), &TIFFClose);
    if (!tiff) opispool::bench::leave(path);
    const bool tiled = TIFFIsTiled(tiff.get()) != 0;
    const std::uint32_t count = tiled ? TIFFNumberOfTiles(tiff.get()) : TIFFNumberOfStrips(tiff.get());
    const tmsize_t size = tiled ? TIFFTileSize(tiff.get()) : TIFFStripSize(tiff.get());
    std::vector<char> samples(static_cast<std::size_t>(size));
    for (std::uint32_t i = first; i < count; i += step) {
        const tmsize_t got = tiled ? TIFFReadEncodedTile(tiff.get(), i, samples.data(), size)
                                   : TIFFReadEncodedStrip(tiff.get(), i, samples.data(), size);
        if (got < 0) opispool::bench::leave("decode");
    }
}

}  // namespace

int main(int argc, char** argv) {
    const auto threads = argc == 3 ? opispool::parse_u64(argv[2]) : std::nullopt;
    if (!threads || *threads == 0 || *threads > 256) {
        std::fprintf(stderr, "usage: decode FILE THREADS\n");
        return 2;
    }
    const double begun_s = opispool::bench::now_s();
    std::vector<std::thread> running;
    const auto step = static_cast<std::uint32_t>(*threads);
    for (std::uint32_t i = 0; i < step; ++i) running.emplace_back(decode, argv[1], i, step);
    for (std::thread& thread : running) thread.join();
    std::printf("wall %.6f cpu 0\n", opispool::bench::now_s() - begun_s);
    return 0;
}
