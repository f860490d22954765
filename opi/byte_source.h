// SPDX-License-Identifier: AGPL-3.0-or-later
// Random-access bytes for the parsers. A file comes through pread in blocks: one that shrinks under our hands is an
// error and never a SIGBUS, and a copy that stays in cache costs less than the page faults of a map.
#pragma once

#include <algorithm>
#include <array>
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
    // A window that begins at `offset_bytes`: at least one byte unless at the end; valid for the next three calls.
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

// A range of a file, read by pread in blocks of which the last few are kept: the parser's readers are at different
// places, one behind the other. Offsets count from the start of the range.
class FileByteSource final : public ByteSource {
  public:
    static constexpr std::size_t block_bytes = 64U << 10U, kept_blocks = 4;

    FileByteSource(std::shared_ptr<const MappedFile> file, std::uint64_t begin_bytes, std::uint64_t end_bytes)
        : file_(std::move(file)), begin_(begin_bytes), end_(end_bytes) {}
    std::uint64_t size_bytes() const override { return end_ - begin_; }
    std::string_view window(std::uint64_t offset_bytes) override;
    Result<void> status() const override { return status_; }

  private:
    struct Block {
        std::string bytes;
        std::uint64_t begin = 0, length = 0;  // within the range; length 0: empty
        std::uint64_t used = 0;               // when, in calls
    };
    Result<void> fill(Block& block, std::uint64_t begin);

    std::shared_ptr<const MappedFile> file_;
    std::uint64_t begin_, end_;
    std::array<Block, kept_blocks> blocks_;
    std::uint64_t calls_ = 0;
    Result<void> status_;
};

}  // namespace opispool::opi
