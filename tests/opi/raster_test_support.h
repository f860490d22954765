// SPDX-License-Identifier: AGPL-3.0-or-later
// Pictures made on the spot for the raster tests, and the bytes of a plan without the sender's machinery.
#pragma once

#include <tiffio.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/mapped_file.h"
#include "opi/emit/raster_emitter.h"

namespace opispool::opi::test {

class TempDir {
  public:
    TempDir();
    ~TempDir();
    TempDir(const TempDir&) = delete;
    TempDir& operator=(const TempDir&) = delete;
    std::string path(const std::string& name) const { return path_ + "/" + name; }

  private:
    std::string path_;
};

struct TiffSpec {
    std::string mode = "w";  // libtiff's: "wl", "wb", "w8"
    std::uint32_t width = 40, height = 30;
    std::uint16_t bits = 8, samples = 3;
    std::uint16_t photometric = PHOTOMETRIC_RGB, compression = COMPRESSION_NONE;
    std::uint16_t planar = PLANARCONFIG_CONTIG, predictor = 1, fill_order = 1, orientation = 1;
    std::uint32_t rows_per_strip = 8, tile = 0;
    std::vector<std::uint16_t> extra_samples;
    std::function<void(TIFF*)> more;  // further tags
};

// Sample c of pixel x, y in `bits` bits: the same everywhere, so that it is the truth a result is compared with.
std::uint32_t sample(const TiffSpec& spec, std::uint32_t x, std::uint32_t y, std::uint32_t c);
// Writes the picture and returns its path.
std::string write_tiff(const TempDir& dir, const TiffSpec& spec, const std::string& name = "picture.tif");

struct JpegSpec {
    std::uint32_t width = 48, height = 32;
    int components = 3;
    bool progressive = false, adobe = false, arithmetic = false;
    std::string exif;  // body of an APP1 segment
};
std::string write_jpeg(const TempDir& dir, const JpegSpec& spec, const std::string& name = "picture.jpg");

std::string read_file(const std::string& path);
void write_file(const std::string& path, const std::string& bytes);
std::shared_ptr<const MappedFile> map(const std::string& path);

struct Emitted {
    std::shared_ptr<const SplicePlan> plan;
    std::string bytes;
    UsedFeatures used;
    Warnings warnings;
    std::uint64_t passed_bytes() const;  // in file ranges
    bool generates() const { return !plan->generated().empty(); }
};

struct EmitOptions {
    ColourRequest colour;
    OutputProfile profile;
    RasterPlacement placement;
    std::optional<int> orientation;
};

// Probes and emits; the placement defaults to one point for each pixel, at the origin.
Result<Emitted> emit(const std::string& path, EmitOptions options = {});
// All bytes of a plan, piece by piece; the pieces' sizes are checked against the plan.
std::string bytes_of(const SplicePlan& plan);
// The text of the error, or "" and a failed expectation when there is none.
std::string refusal(const std::string& path, EmitOptions options = {});
// Compares every %%BeginData count with the place of its %%EndData.
void expect_exact_counts(const std::string& postscript);

}  // namespace opispool::opi::test
