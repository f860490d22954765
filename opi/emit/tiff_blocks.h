// SPDX-License-Identifier: AGPL-3.0-or-later
// The samples of one strip or tile of a TIFF. LZW and Deflate are decoded here, because libtiff takes twice as long for
// LZW and for predictors; whatever is out of the ordinary, and every error, is left to libtiff's judgement.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/mapped_file.h"
#include "base/result.h"
#include "opi/emit/tiff_directory.h"
#include "opi/emit/tiff_handle.h"
#include "opi/emit/whole_inflater.h"

namespace opispool::opi {

// One plane, row by row from any row of its picture on, by libtiff: strips of any size in the memory of a row.
class TiffScanlines {
  public:
    static Result<std::unique_ptr<TiffScanlines>> open(std::shared_ptr<const MappedFile> file,
                                                       std::shared_ptr<const TiffDirectory> directory,
                                                       std::uint16_t plane);
    // out  row_bytes() of the directory; 16-bit samples in the byte order of this machine
    //   errors  bad_image, naming the strip and how many of its rows there are
    Result<void> read(std::uint32_t row, std::span<std::byte> out);

  private:
    TiffScanlines(std::unique_ptr<TiffHandle> handle, std::shared_ptr<const TiffDirectory> directory,
                  std::uint16_t plane, std::size_t line_bytes)
        : handle_(std::move(handle)), directory_(std::move(directory)), plane_(plane), line_(line_bytes) {}
    std::unique_ptr<TiffHandle> handle_;
    std::shared_ptr<const TiffDirectory> directory_;
    std::uint16_t plane_;
    std::vector<std::byte> line_;
};

class TiffBlockDecoder {
  public:
    TiffBlockDecoder(std::shared_ptr<const MappedFile> file, std::shared_ptr<const TiffDirectory> directory)
        : file_(std::move(file)), directory_(std::move(directory)) {}

    // block  index into directory.blocks
    // out    row_bytes() of the directory for each row of the block, all of a tile's or rows_in_strip(); 16-bit samples
    //        in the byte order of this machine
    //   errors  bad_image: which strip ends after which row, or which tile is damaged; changed, io, too_large
    //   thread  one at a time; several decoders may share file and directory
    Result<void> decode(std::uint64_t block, std::span<std::byte> out);

  private:
    // False: not of this kind, or something is wrong with it.
    Result<bool> decode_here(const TiffBlock& block, std::span<std::byte> out);
    Result<void> decode_by_libtiff(std::uint64_t block, std::span<std::byte> out);
    Result<void> decode_by_rows(std::uint64_t block, std::span<std::byte> out);

    std::shared_ptr<const MappedFile> file_;
    std::shared_ptr<const TiffDirectory> directory_;
    std::unique_ptr<TiffHandle> handle_;  // opened when it is needed
    WholeInflater inflater_;
};

// Undoes predictor 2 in one row of `stride` interleaved samples.
void undo_differences_8(std::span<std::byte> row, std::size_t stride);
void undo_differences_16(std::span<std::byte> row, std::size_t stride);

}  // namespace opispool::opi
