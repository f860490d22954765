// SPDX-License-Identifier: AGPL-3.0-or-later
// Random-access bytes for the parsers: a mapped spool file is one window, a store file comes through pread in windows,
// so that a file which shrinks under our hands is an error and never a SIGBUS.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/mapped_file.h"
#include "base/result.h"

namespace opispool::opi {

class ByteSource {
  public:
    virtual ~ByteSource() = default;
    virtual std::uint64_t size_bytes() const = 0;
    // A window that begins at `offset_bytes`: at least one byte unless at the end; valid until the next call.
    virtual std::string_view window(std::uint64_t offset_bytes) = 0;
    // The first error a window met; a parser that ran to its end must ask.
    virtual Result<void> status() const { return {}; }

    // Copies up to `length_bytes` from `offset_bytes`; shorter at the end.
    std::string copy(std::uint64_t offset_bytes, std::size_t length_bytes) {
        std::string out;
        while (out.size() < length_bytes) {
            const std::string_view piece = window(offset_bytes + out.size());
            if (piece.empty()) break;
            out += piece.substr(0, length_bytes - out.size());
        }
        return out;
    }
};

// Bytes already in memory: a piece that was copied out, or a test's string. The owner keeps them alive.
class MemoryByteSource final : public ByteSource {
  public:
    explicit MemoryByteSource(std::string_view bytes) : bytes_(bytes) {}
    std::uint64_t size_bytes() const override { return bytes_.size(); }
    std::string_view window(std::uint64_t offset_bytes) override {
        return offset_bytes >= bytes_.size() ? std::string_view() : bytes_.substr(offset_bytes);
    }

  private:
    std::string_view bytes_;
};

// A mapped file that the CPU may read (our own spool file), in windows; pages behind the reader leave this process's
// memory, so that a job of gigabytes is parsed in a few megabytes.
class MappedByteSource final : public ByteSource {
  public:
    static constexpr std::uint64_t window_bytes = 4U << 20U;

    explicit MappedByteSource(std::shared_ptr<const MappedFile> file) : file_(std::move(file)) {}
    std::uint64_t size_bytes() const override { return file_->size(); }
    std::string_view window(std::uint64_t offset_bytes) override;

  private:
    std::shared_ptr<const MappedFile> file_;
    std::uint64_t released_to_ = 0;
};

// A range of a store file, read by pread in windows of `window_bytes`. Offsets count from the start of the range.
class FileByteSource final : public ByteSource {
  public:
    FileByteSource(std::shared_ptr<const MappedFile> file, std::uint64_t begin_bytes, std::uint64_t end_bytes,
                   std::size_t window_bytes = 256U << 10U)
        : file_(std::move(file)), begin_(begin_bytes), end_(end_bytes), buffer_(window_bytes, '\0') {}
    std::uint64_t size_bytes() const override { return end_ - begin_; }
    std::string_view window(std::uint64_t offset_bytes) override;
    Result<void> status() const override { return status_; }

  private:
    std::shared_ptr<const MappedFile> file_;
    std::uint64_t begin_, end_;
    std::string buffer_;
    std::uint64_t buffer_offset_ = 0;
    std::size_t buffer_length_ = 0;
    Result<void> status_;
};

}  // namespace opispool::opi
