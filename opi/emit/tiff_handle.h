// SPDX-License-Identifier: AGPL-3.0-or-later
// One open libtiff handle over a pinned file. libtiff never maps the file (a file that shrinks would then kill the
// process): it reads through MappedFile::read_at. Its messages are kept here instead of going to standard error.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/mapped_file.h"
#include "base/result.h"

struct tiff;

namespace opispool::opi {

class TiffHandle {
  public:
    // The directory at `ifd_bytes` is current.     errors  bad_image, with libtiff's own words
    static Result<std::unique_ptr<TiffHandle>> open(std::shared_ptr<const MappedFile> file, std::uint64_t ifd_bytes);
    ~TiffHandle();
    TiffHandle(const TiffHandle&) = delete;
    TiffHandle& operator=(const TiffHandle&) = delete;

    ::tiff* get() const { return tiff_; }
    // The first error since opening, or the first sign that data ended early; empty if there was none.
    const std::string& complaint() const { return state_->complaint; }
    // The errno-like failure of the file under libtiff, or bad_image with `what` and libtiff's words.
    Error error(const std::string& what) const;

    struct State {
        std::shared_ptr<const MappedFile> file;
        std::uint64_t position = 0;
        std::string complaint;
        bool too_large = false;
    };

  private:
    explicit TiffHandle(std::unique_ptr<State> state) : state_(std::move(state)) {}
    std::unique_ptr<State> state_;
    ::tiff* tiff_ = nullptr;
};

}  // namespace opispool::opi
