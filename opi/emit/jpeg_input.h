// SPDX-License-Identifier: AGPL-3.0-or-later
// libjpeg's reading side over a ByteReader, for the decoder and the transcoder. libjpeg reports an error by a jump:
// between guarded() and any call that may jump there is no object with a destructor, so each step is a plain function.
#pragma once

#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>
// jpeglib.h needs size_t and FILE.
#include <jpeglib.h>

#include "base/result.h"
#include "opi/emit/encoders.h"

namespace opispool::opi {

class JpegInput {
  public:
    JpegInput(std::unique_ptr<ByteReader> reader, std::string where);
    ~JpegInput();
    JpegInput(const JpegInput&) = delete;
    JpegInput& operator=(const JpegInput&) = delete;

    // Runs a step that may jump; false when it did, and error() says why.
    bool guarded(void (*step)(void*), void* of);

    // Reads up to the first scan.   errors  bad_image; too_large: many scans of a picture that can't be held in memory
    Result<void> read_header();
    jpeg_decompress_struct& info() { return info_; }
    const jpeg_decompress_struct& info() const { return info_; }
    // For a compressor beside the decompressor; its client_data must be this object.
    jpeg_error_mgr& errors() { return errors_; }
    const std::string& where() const { return where_; }

    // More than one scan: progressive, or each channel on its own.
    bool many_scans() const { return many_scans_; }
    // Pixels were invented, or the file could not be read.
    bool spoiled() const { return damaged_ || failure_.has_value(); }
    bool at_end() const { return at_end_; }
    std::uint64_t consumed() const { return at_end_ ? total_ : total_ - source_.bytes_in_buffer; }
    Error error() const;
    // To be asked behind the last scan: without an end mark nobody can tell whether further scans are missing.
    Result<void> ended() const;

  private:
    static JpegInput& self(j_common_ptr info) { return *static_cast<JpegInput*>(info->client_data); }
    static JpegInput& self(j_decompress_ptr info) { return *static_cast<JpegInput*>(info->client_data); }
    [[noreturn]] static void on_error(j_common_ptr info);
    static void on_message(j_common_ptr info, int level);
    static void on_progress(j_common_ptr info);
    static boolean fill(j_decompress_ptr info);
    static void skip(j_decompress_ptr info, long count);
    void refill();

    std::unique_ptr<ByteReader> reader_;
    std::string where_;
    std::vector<std::byte> buffer_ = std::vector<std::byte>(64U << 10U);
    std::uint64_t total_ = 0;
    bool at_end_ = false, damaged_ = false, created_ = false, many_scans_ = false;
    std::optional<Error> failure_;
    jpeg_decompress_struct info_{};
    jpeg_error_mgr errors_{};
    jpeg_source_mgr source_{};
    jpeg_progress_mgr progress_{};
    std::jmp_buf jump_{};
    char message_[JMSG_LENGTH_MAX] = {};
};

}  // namespace opispool::opi
