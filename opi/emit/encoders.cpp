// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/emit/encoders.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "opi/emit/text_lines.h"

namespace opispool::opi {

namespace {

constexpr std::size_t input_block_bytes = 64U << 10U;
// Multiples of 4 bytes so that no ASCII85 group crosses a line: 64 bytes are 80 digits; 36 bytes are 72 hex digits.
constexpr std::uint64_t ascii85_line_bytes = 64;
constexpr std::uint64_t hex_line_bytes = 36;

class FileReader final : public ByteReader {
  public:
    FileReader(std::shared_ptr<const MappedFile> file, std::shared_ptr<const std::vector<FilePiece>> pieces)
        : file_(std::move(file)), pieces_(std::move(pieces)) {}

    Result<std::size_t> read(std::span<std::byte> out) override {
        std::size_t filled = 0;
        while (filled < out.size() && piece_ < pieces_->size()) {
            const FilePiece& piece = (*pieces_)[piece_];
            if (within_ == piece.total_bytes()) {
                ++piece_;
                within_ = 0;
                continue;
            }
            auto got = read_piece(piece, out.subspan(filled));
            if (!got) return got;
            filled += *got;
            within_ += *got;
        }
        return filled;
    }

  private:
    Result<std::size_t> read_piece(const FilePiece& piece, std::span<std::byte> out) {
        if (within_ < piece.prefix.size()) return copy_text(piece.prefix, within_, out);
        const std::uint64_t in_file = within_ - piece.prefix.size();
        if (in_file >= piece.length_bytes) return copy_text(piece.suffix, in_file - piece.length_bytes, out);
        const auto want = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), piece.length_bytes - in_file));
        auto got = file_->read_at(piece.offset_bytes + in_file, out.first(want));
        if (got && *got < want)
            return fail(Code::changed, Operation::read, "the file has become shorter while the job was being sent",
                        file_->name(), piece.offset_bytes + in_file + *got);
        return got;
    }

    static std::size_t copy_text(const std::string& text, std::uint64_t from, std::span<std::byte> out) {
        const std::size_t count = std::min(out.size(), text.size() - static_cast<std::size_t>(from));
        std::memcpy(out.data(), text.data() + from, count);
        return count;
    }

    std::shared_ptr<const MappedFile> file_;
    std::shared_ptr<const std::vector<FilePiece>> pieces_;
    std::size_t piece_ = 0;
    std::uint64_t within_ = 0;
};

class FileSupply final : public ByteSupply {
  public:
    FileSupply(std::shared_ptr<const MappedFile> file, std::vector<FilePiece> pieces)
        : file_(std::move(file)), pieces_(std::make_shared<const std::vector<FilePiece>>(std::move(pieces))) {
        for (const FilePiece& piece : *pieces_) length_ += piece.total_bytes();
    }
    std::uint64_t length_bytes() const override { return length_; }
    Result<std::unique_ptr<ByteReader>> open() const override { return std::make_unique<FileReader>(file_, pieces_); }
    std::string description() const override { return "data of " + file_->name(); }

  private:
    std::shared_ptr<const MappedFile> file_;
    std::shared_ptr<const std::vector<FilePiece>> pieces_;
    std::uint64_t length_ = 0;
};

class MappedReader final : public ByteReader {
  public:
    MappedReader(std::unique_ptr<ByteReader> reader, const std::array<std::uint8_t, 256>& table)
        : reader_(std::move(reader)), table_(table) {}
    Result<std::size_t> read(std::span<std::byte> out) override {
        auto got = reader_->read(out);
        if (got)
            for (std::byte& b : out.first(*got)) b = std::byte{table_[std::to_integer<std::size_t>(b)]};
        return got;
    }

  private:
    std::unique_ptr<ByteReader> reader_;
    std::array<std::uint8_t, 256> table_;
};

class MappedSupply final : public ByteSupply {
  public:
    MappedSupply(std::shared_ptr<const ByteSupply> supply, const std::array<std::uint8_t, 256>& table)
        : supply_(std::move(supply)), table_(table) {}
    std::uint64_t length_bytes() const override { return supply_->length_bytes(); }
    Result<std::unique_ptr<ByteReader>> open() const override {
        auto reader = supply_->open();
        if (!reader) return reader;
        return std::make_unique<MappedReader>(std::move(*reader), table_);
    }
    std::string description() const override { return supply_->description() + ", gray map"; }

  private:
    std::shared_ptr<const ByteSupply> supply_;
    std::array<std::uint8_t, 256> table_;
};

class ChannelReader final : public ByteReader {
  public:
    ChannelReader(std::unique_ptr<ByteReader> reader, std::size_t stride, std::size_t first)
        : reader_(std::move(reader)), stride_(stride), first_(first), pixels_(stride * 4096) {}
    Result<std::size_t> read(std::span<std::byte> out) override {
        std::size_t filled = 0;
        while (filled < out.size()) {
            const std::size_t wanted = std::min(pixels_.size(), (out.size() - filled) * stride_);
            auto got = reader_->read(std::span(pixels_).first(wanted));
            if (!got) return got;
            for (std::size_t at = first_; at < *got; at += stride_) out[filled++] = pixels_[at];
            if (*got < wanted) break;
        }
        return filled;
    }

  private:
    std::unique_ptr<ByteReader> reader_;
    std::size_t stride_, first_;
    std::vector<std::byte> pixels_;
};

class ChannelSupply final : public ByteSupply {
  public:
    ChannelSupply(std::shared_ptr<const ByteSupply> supply, std::size_t stride, std::size_t first)
        : supply_(std::move(supply)), stride_(stride), first_(first) {}
    std::uint64_t length_bytes() const override { return supply_->length_bytes() / stride_; }
    Result<std::unique_ptr<ByteReader>> open() const override {
        auto reader = supply_->open();
        if (!reader) return reader;
        return std::make_unique<ChannelReader>(std::move(*reader), stride_, first_);
    }
    std::string description() const override { return supply_->description() + ", one channel"; }

  private:
    std::shared_ptr<const ByteSupply> supply_;
    std::size_t stride_, first_;
};

Error wrong_length(const ByteSupply& supply) {
    return Error{Code::bad_image,
                 Operation::encode,
                 "the picture's data does not have the planned length",
                 supply.description(),
                 {}};
}

class BinaryEncoder final : public Encoder {
  public:
    BinaryEncoder(std::shared_ptr<const ByteSupply> supply, std::unique_ptr<ByteReader> reader)
        : supply_(std::move(supply)), reader_(std::move(reader)), left_(supply_->length_bytes()) {}

    Result<std::size_t> produce(std::span<std::byte> out) override {
        const auto want = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), left_));
        if (want == 0) return std::size_t{0};
        auto got = reader_->read(out.first(want));
        if (got && *got != want) return fail(wrong_length(*supply_));
        if (got) left_ -= *got;
        return got;
    }

  private:
    std::shared_ptr<const ByteSupply> supply_;
    std::unique_ptr<ByteReader> reader_;
    std::uint64_t left_;
};

class TextEncoder final : public Encoder {
  public:
    TextEncoder(std::shared_ptr<const ByteSupply> supply, std::unique_ptr<ByteReader> reader,
                std::shared_ptr<const std::vector<std::uint64_t>> runs, ChannelEncoding encoding)
        : supply_(std::move(supply)), reader_(std::move(reader)), runs_(std::move(runs)), encoding_(encoding) {}

    Result<std::size_t> produce(std::span<std::byte> out) override {
        std::size_t filled = 0;
        while (filled < out.size()) {
            if (text_at_ == text_.size()) {
                if (run_ == runs_->size()) break;
                if (auto more = encode_more(); !more) return fail(std::move(more.error()));
            }
            const std::size_t count = std::min(out.size() - filled, text_.size() - text_at_);
            std::memcpy(out.data() + filled, text_.data() + text_at_, count);
            filled += count;
            text_at_ += count;
        }
        return filled;
    }

  private:
    Result<void> encode_more() {
        text_at_ = 0;
        const std::uint64_t line = encoding_ == ChannelEncoding::ascii85 ? ascii85_line_bytes : hex_line_bytes;
        const std::uint64_t block = input_block_bytes / line * line;
        const auto want = static_cast<std::size_t>(std::min((*runs_)[run_] - within_, block));
        input_.resize(want);
        auto got = reader_->read(input_);
        if (!got) return fail(std::move(got.error()));
        if (*got != want) return fail(wrong_length(*supply_));
        // encoded_length counts the end mark too: room to spare.
        text_.resize(static_cast<std::size_t>(encoded_length(encoding_, want)) + text_slack_bytes);
        char* end = text_.data();
        for (std::size_t at = 0; at < want; at += static_cast<std::size_t>(line)) {
            const auto part =
                std::span<const std::byte>(input_).subspan(at, std::min(static_cast<std::size_t>(line), want - at));
            end = encoding_ == ChannelEncoding::ascii85 ? encode_ascii85_line(part, end) : encode_hex_line(part, end);
        }
        text_.resize(static_cast<std::size_t>(end - text_.data()));
        within_ += want;
        if (within_ == (*runs_)[run_]) {
            text_ += encoding_ == ChannelEncoding::ascii85 ? "~>\n" : ">\n";
            ++run_;
            within_ = 0;
        }
        return {};
    }

    std::shared_ptr<const ByteSupply> supply_;
    std::unique_ptr<ByteReader> reader_;
    std::shared_ptr<const std::vector<std::uint64_t>> runs_;
    ChannelEncoding encoding_;
    std::size_t run_ = 0;
    std::uint64_t within_ = 0;
    std::vector<std::byte> input_;
    std::string text_;
    std::size_t text_at_ = 0;
};

class EncodedRuns final : public GeneratedData {
  public:
    EncodedRuns(std::shared_ptr<const ByteSupply> supply, std::vector<std::uint64_t> runs, ChannelEncoding encoding)
        : supply_(std::move(supply)),
          runs_(std::make_shared<const std::vector<std::uint64_t>>(std::move(runs))),
          encoding_(encoding) {
        for (std::uint64_t run : *runs_) length_ += encoded_length(encoding_, run);
    }
    std::uint64_t length_bytes() const override { return length_; }
    Result<std::unique_ptr<Encoder>> start() const override {
        auto reader = supply_->open();
        if (!reader) return fail(std::move(reader.error()));
        if (encoding_ == ChannelEncoding::binary) return std::make_unique<BinaryEncoder>(supply_, std::move(*reader));
        return std::make_unique<TextEncoder>(supply_, std::move(*reader), runs_, encoding_);
    }
    std::string description() const override {
        switch (encoding_) {
            case ChannelEncoding::ascii85:
                return supply_->description() + ", ASCII85";
            case ChannelEncoding::hex:
                return supply_->description() + ", hexadecimal";
            case ChannelEncoding::binary:
                break;
        }
        return supply_->description();
    }

  private:
    std::shared_ptr<const ByteSupply> supply_;
    std::shared_ptr<const std::vector<std::uint64_t>> runs_;
    ChannelEncoding encoding_;
    std::uint64_t length_ = 0;
};

}  // namespace

std::shared_ptr<const ByteSupply> make_file_supply(std::shared_ptr<const MappedFile> file,
                                                   std::vector<FilePiece> pieces) {
    return std::make_shared<FileSupply>(std::move(file), std::move(pieces));
}

void RowByteReader::expect(std::size_t row_bytes, std::uint32_t rows) {
    row_.resize(row_bytes);
    at_ = row_bytes;
    rows_left_ = rows;
}

Result<std::size_t> RowByteReader::read(std::span<std::byte> out) {
    std::size_t filled = 0;
    while (filled < out.size()) {
        if (at_ == row_.size()) {
            if (rows_left_ == 0) break;
            if (auto made = make_row(row_); !made) return fail(std::move(made.error()));
            --rows_left_;
            at_ = 0;
        }
        const std::size_t count = std::min(out.size() - filled, row_.size() - at_);
        std::memcpy(out.data() + filled, row_.data() + at_, count);
        filled += count;
        at_ += count;
    }
    return filled;
}

std::shared_ptr<const ByteSupply> make_mapped_supply(std::shared_ptr<const ByteSupply> supply,
                                                     std::array<std::uint8_t, 256> table) {
    return std::make_shared<MappedSupply>(std::move(supply), table);
}

std::shared_ptr<const ByteSupply> make_channel_supply(std::shared_ptr<const ByteSupply> supply, std::size_t stride,
                                                      std::size_t first) {
    return std::make_shared<ChannelSupply>(std::move(supply), stride, first);
}

std::uint64_t encoded_length(ChannelEncoding encoding, std::uint64_t input_bytes) {
    switch (encoding) {
        case ChannelEncoding::binary:
            return input_bytes;
        case ChannelEncoding::hex: {
            const std::uint64_t lines = (input_bytes + hex_line_bytes - 1) / hex_line_bytes;
            return input_bytes * 2 + lines + 2;
        }
        case ChannelEncoding::ascii85:
            break;
    }
    const std::uint64_t lines = (input_bytes + ascii85_line_bytes - 1) / ascii85_line_bytes;
    const std::uint64_t tail = input_bytes % 4;
    return input_bytes / 4 * 5 + (tail == 0 ? 0 : tail + 1) + lines * 2 + 3;
}

std::shared_ptr<const GeneratedData> encode_runs(std::shared_ptr<const ByteSupply> supply,
                                                 std::vector<std::uint64_t> run_bytes, ChannelEncoding encoding) {
    return std::make_shared<EncodedRuns>(std::move(supply), std::move(run_bytes), encoding);
}

Result<void> verify_supply(const ByteSupply& supply) {
    auto reader = supply.open();
    if (!reader) return fail(std::move(reader.error()));
    std::vector<std::byte> block(input_block_bytes);
    std::uint64_t total = 0;
    for (;;) {
        auto got = (*reader)->read(block);
        if (!got) return fail(std::move(got.error()));
        if (*got == 0) break;
        total += *got;
    }
    if (total != supply.length_bytes()) return fail(wrong_length(supply));
    return {};
}

}  // namespace opispool::opi
