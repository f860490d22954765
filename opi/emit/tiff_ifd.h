// SPDX-License-Identifier: AGPL-3.0-or-later
// Entries of a TIFF image file directory, classic and BigTIFF, in both byte orders: numbers only, no meaning.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/mapped_file.h"
#include "base/result.h"

namespace opispool::opi {

class TiffIfd {
  public:
    struct Header {
        bool big_endian = false;
        bool big_tiff = false;
        std::uint64_t first_ifd_bytes = 0;
    };
    //   errors  bad_image: no TIFF, or its first directory lies beyond the file
    static Result<Header> read_header(const MappedFile& file);
    //   errors  bad_image: the directory does not lie within the file
    static Result<TiffIfd> read(const MappedFile& file, const Header& header, std::uint64_t offset_bytes);

    bool has(std::uint16_t tag) const { return entries_.contains(tag); }
    std::uint64_t count(std::uint16_t tag) const;
    std::uint64_t next_ifd_bytes() const { return next_; }

    // The first value, or `fallback` when the tag is absent.
    Result<std::uint64_t> number(std::uint16_t tag, std::uint64_t fallback) const;
    // All values; empty when the tag is absent.      errors  bad_image: values beyond the file, too many, not whole
    // numbers
    Result<std::vector<std::uint64_t>> numbers(std::uint16_t tag) const;
    Result<std::vector<std::uint16_t>> shorts(std::uint16_t tag) const;
    // The bytes of a tag of type BYTE or UNDEFINED.
    Result<std::string> bytes(std::uint16_t tag) const;

  private:
    struct Entry {
        std::uint16_t type = 0;
        std::uint64_t count = 0;
        std::uint64_t value_bytes = 0;  // where in the file the values are
    };
    Result<std::string> raw(std::uint16_t tag, const Entry& entry, std::size_t size_each) const;

    const MappedFile* file_ = nullptr;  // outlives the directory: it is read at once and dropped
    bool big_endian_ = false;
    std::uint64_t next_ = 0;
    std::map<std::uint16_t, Entry> entries_;
};

}  // namespace opispool::opi
