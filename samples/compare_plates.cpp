// SPDX-License-Identifier: AGPL-3.0-or-later
// compare_plates RIP_DIR TRUTH_DIR: are the plates of two renderings the same? Reads every plate (`page-N(Ink).tif`) of
// both folders. Exit 0: the same inks and pictures; 1: not, with a line that says where; 2: nothing to compare.
//
// A pixel is right if its value lies within `tolerance` of some value in the 3 x 3 neighbourhood of the truth: an edge
// may fall to either side of a pixel. A plate is right if no wrong pixel has only wrong neighbours (that would be an
// area, not an edge) and at most one pixel in 500 is wrong.
#include <tiffio.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace opispool::samples {

namespace {

namespace fs = std::filesystem;
constexpr int tolerance = 6;  // of 255: two JPEG decoders differ by 1 or 2

struct Plate {
    std::uint32_t width_px = 0, height_px = 0;
    std::vector<std::uint8_t> levels;
    std::uint8_t at(std::uint32_t x, std::uint32_t y) const { return levels[std::size_t{y} * width_px + x]; }
};

Plate read_plate(const fs::path& path) {
    const std::unique_ptr<TIFF, decltype(&TIFFClose)> tiff(TIFFOpen(path.c_str(), "r"), &TIFFClose);
    Plate plate;
    std::uint16_t channels = 1, bits = 1;
    if (!tiff) return plate;
    TIFFGetField(tiff.get(), TIFFTAG_IMAGEWIDTH, &plate.width_px);
    TIFFGetField(tiff.get(), TIFFTAG_IMAGELENGTH, &plate.height_px);
    TIFFGetFieldDefaulted(tiff.get(), TIFFTAG_SAMPLESPERPIXEL, &channels);
    TIFFGetFieldDefaulted(tiff.get(), TIFFTAG_BITSPERSAMPLE, &bits);
    if (channels != 1 || bits != 8) return {};
    plate.levels.resize(std::size_t{plate.width_px} * plate.height_px);
    for (std::uint32_t y = 0; y < plate.height_px; ++y)
        if (TIFFReadScanline(tiff.get(), &plate.levels[std::size_t{y} * plate.width_px], y) < 0) return {};
    return plate;
}

std::set<std::string> plates_in(const fs::path& folder) {
    std::set<std::string> names;
    if (!fs::is_directory(folder)) return names;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        if (name.ends_with(").tif")) names.insert(name);
    }
    return names;
}

// 1 where the plate's value is not within the tolerance of the truth's neighbourhood.
std::vector<std::uint8_t> wrong_pixels(const Plate& plate, const Plate& truth) {
    std::vector<std::uint8_t> wrong(plate.levels.size());
    for (std::uint32_t y = 0; y < plate.height_px; ++y) {
        for (std::uint32_t x = 0; x < plate.width_px; ++x) {
            int low = 255, high = 0;
            for (std::uint32_t ny = y == 0 ? 0 : y - 1; ny <= std::min(y + 1, plate.height_px - 1); ++ny)
                for (std::uint32_t nx = x == 0 ? 0 : x - 1; nx <= std::min(x + 1, plate.width_px - 1); ++nx) {
                    low = std::min<int>(low, truth.at(nx, ny));
                    high = std::max<int>(high, truth.at(nx, ny));
                }
            const int value = plate.at(x, y);
            wrong[std::size_t{y} * plate.width_px + x] = value < low - tolerance || value > high + tolerance ? 1 : 0;
        }
    }
    return wrong;
}

// The text says what is wrong; empty if the plate is right.
std::string judge(const Plate& plate, const Plate& truth) {
    if (plate.levels.empty() || truth.levels.empty()) return "can't be read";
    if (plate.width_px != truth.width_px || plate.height_px != truth.height_px)
        return "has another size than the truth";
    const std::vector<std::uint8_t> wrong = wrong_pixels(plate, truth);
    const std::size_t width = plate.width_px;
    const auto count = static_cast<std::size_t>(std::count(wrong.begin(), wrong.end(), 1));
    for (std::size_t y = 1; y + 1 < plate.height_px; ++y)
        for (std::size_t x = 1; x + 1 < width; ++x) {
            bool area = true;
            for (std::size_t ny = y - 1; area && ny <= y + 1; ++ny)
                for (std::size_t nx = x - 1; area && nx <= x + 1; ++nx) area = wrong[ny * width + nx] != 0;
            if (area)
                return "differs around pixel " + std::to_string(x) + "," + std::to_string(y) + " (" +
                       std::to_string(count) + " pixels in all)";
        }
    if (count * 500 > wrong.size()) return std::to_string(count) + " scattered pixels differ";
    return {};
}

int compare(const fs::path& made, const fs::path& truth) {
    const std::set<std::string> made_names = plates_in(made), truth_names = plates_in(truth);
    if (truth_names.empty()) {
        std::fprintf(stderr, "%s: no plates to compare with\n", truth.c_str());
        return 2;
    }
    int wrong = 0;
    for (const std::string& name : made_names)
        if (!truth_names.contains(name)) {
            std::printf("%s: this plate should not be there\n", (made / name).c_str());
            ++wrong;
        }
    for (const std::string& name : truth_names) {
        const std::string text =
            made_names.contains(name) ? judge(read_plate(made / name), read_plate(truth / name)) : "is missing";
        if (text.empty()) continue;
        std::printf("%s: %s\n", (made / name).c_str(), text.c_str());
        ++wrong;
    }
    if (wrong == 0) std::printf("%zu plates right\n", truth_names.size());
    return wrong == 0 ? 0 : 1;
}

}  // namespace

}  // namespace opispool::samples

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: compare_plates RIP_DIR TRUTH_DIR\n");
        return 2;
    }
    return opispool::samples::compare(argv[1], argv[2]);
}
