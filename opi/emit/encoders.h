// SPDX-License-Identifier: AGPL-3.0-or-later
// Bytes for generated spans: a supply of bytes whose length is known, and the 7-bit encodings of such a supply. ASCII85
// never uses the `z` short form, so the length of a result follows from the length of its input alone.
//
//   file ranges, decoded rows --ByteSupply--> encode_runs --GeneratedData--> plan
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/mapped_file.h"
#include "base/result.h"
#include "opi/image_request.h"
#include "opi/splice_plan.h"

namespace opispool::opi {

// Reads one supply, front to back, once.
class ByteReader {
  public:
    virtual ~ByteReader() = default;
    // Fills `out` completely unless the supply ends first; returns the bytes written (0 = end).
    virtual Result<std::size_t> read(std::span<std::byte> out) = 0;
};

// Reads what is made a row at a time.
class RowByteReader : public ByteReader {
  public:
    Result<std::size_t> read(std::span<std::byte> out) final;

  protected:
    void expect(std::size_t row_bytes, std::uint32_t rows);

  private:
    virtual Result<void> make_row(std::span<std::byte> row) = 0;
    std::vector<std::byte> row_;
    std::size_t at_ = 0;  // of row_, what has been read
    std::uint32_t rows_left_ = 0;
};

// Immutable description of bytes that can be read any number of times.
class ByteSupply {
  public:
    virtual ~ByteSupply() = default;
    virtual std::uint64_t length_bytes() const = 0;
    virtual Result<std::unique_ptr<ByteReader>> open() const = 0;
    virtual std::string description() const = 0;
};

// A piece of a picture file, with bytes of our own before and after it (the header of a JPEG strip, a missing EOI).
struct FilePiece {
    std::string prefix;
    std::uint64_t offset_bytes = 0;
    std::uint64_t length_bytes = 0;
    std::string suffix;
    std::uint64_t total_bytes() const { return prefix.size() + length_bytes + suffix.size(); }
};

// The pieces one after another, read by pread.   errors of reading: changed (the file has shrunk), io
std::shared_ptr<const ByteSupply> make_file_supply(std::shared_ptr<const MappedFile> file,
                                                   std::vector<FilePiece> pieces);

// Every byte of a supply through a table: a gray map on 8-bit samples.
std::shared_ptr<const ByteSupply> make_mapped_supply(std::shared_ptr<const ByteSupply> supply,
                                                     std::array<std::uint8_t, 256> table);

// Every stride-th byte of a supply, beginning with number `first`: one channel of interleaved 8-bit samples.
std::shared_ptr<const ByteSupply> make_channel_supply(std::shared_ptr<const ByteSupply> supply, std::size_t stride,
                                                      std::size_t first);

// Bytes that `input_bytes` become as one run, with its end mark and line ends. binary: unchanged.
std::uint64_t encoded_length(ChannelEncoding encoding, std::uint64_t input_bytes);

// The supply cut into runs, each encoded on its own with its own end mark; `binary` joins them unchanged.
//   run_bytes  adds up to the supply's length; no run is empty
std::shared_ptr<const GeneratedData> encode_runs(std::shared_ptr<const ByteSupply> supply,
                                                 std::vector<std::uint64_t> run_bytes, ChannelEncoding encoding);

// Reads a supply to its end and checks that it holds what it declares: the proof, before byte one, that it can be sent.
Result<void> verify_supply(const ByteSupply& supply);

}  // namespace opispool::opi
