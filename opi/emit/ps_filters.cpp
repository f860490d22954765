// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/emit/ps_filters.h"

#include <algorithm>
#include <optional>

namespace opispool::opi {

namespace {

constexpr std::size_t block_bytes = 16U << 10U;

// One byte after another out of a reader; counts what was taken.
class Bytes {
  public:
    explicit Bytes(std::unique_ptr<ByteReader> reader) : reader_(std::move(reader)), buffer_(block_bytes) {}

    // Nothing at the end of the input and after an error.
    std::optional<std::uint8_t> next() {
        if (at_ == filled_ && !fill()) return std::nullopt;
        ++taken_;
        return std::to_integer<std::uint8_t>(buffer_[at_++]);
    }
    std::uint64_t taken() const { return taken_; }
    const std::optional<Error>& error() const { return error_; }

  private:
    bool fill() {
        if (error_ || ended_) return false;
        auto got = reader_->read(buffer_);
        if (!got) {
            error_ = std::move(got.error());
            return false;
        }
        at_ = 0;
        filled_ = *got;
        ended_ = *got == 0;
        return !ended_;
    }

    std::unique_ptr<ByteReader> reader_;
    std::vector<std::byte> buffer_;
    std::size_t at_ = 0, filled_ = 0;
    std::uint64_t taken_ = 0;
    std::optional<Error> error_;
    bool ended_ = false;
};

class Decoder : public ByteReader {
  public:
    Decoder(std::unique_ptr<ByteReader> input, std::string where) : in_(std::move(input)), where_(std::move(where)) {}

    Result<std::size_t> read(std::span<std::byte> out) final {
        std::size_t filled = 0;
        while (filled < out.size()) {
            const auto byte = next();
            if (in_.error()) return fail(*in_.error());
            if (bad_)
                return fail(Code::bad_image, Operation::decode,
                            "the picture's data holds a character that its encoding does not know; the file is damaged",
                            where_);
            if (!byte) break;
            out[filled++] = std::byte{*byte};
        }
        return filled;
    }
    std::uint64_t taken() const { return in_.taken(); }

  protected:
    virtual std::optional<std::uint8_t> next() = 0;
    std::nullopt_t damaged() {
        bad_ = true;
        return std::nullopt;
    }
    Bytes in_;

  private:
    std::string where_;
    bool bad_ = false;
};

bool is_blank(std::uint8_t c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == 0;
}

class HexDecoder final : public Decoder {
  public:
    HexDecoder(std::unique_ptr<ByteReader> input, std::string where, bool strict)
        : Decoder(std::move(input), std::move(where)), strict_(strict) {}

  private:
    std::optional<std::uint8_t> next() override {
        std::optional<unsigned> high;
        while (!ended_) {
            const auto c = in_.next();
            if (!c) break;
            if (const auto digit = value(*c)) {
                if (high) return static_cast<std::uint8_t>(*high << 4U | *digit);
                high = digit;
            } else if (strict_ && *c == '>') {
                break;
            } else if (strict_ && !is_blank(*c)) {
                return damaged();
            }
        }
        ended_ = true;
        if (!high || !strict_) return std::nullopt;
        return static_cast<std::uint8_t>(*high << 4U);
    }

    static std::optional<unsigned> value(std::uint8_t c) {
        if (c >= '0' && c <= '9') return c - '0';
        if (c >= 'a' && c <= 'f') return c - 'a' + 10;
        if (c >= 'A' && c <= 'F') return c - 'A' + 10;
        return std::nullopt;
    }

    bool strict_, ended_ = false;
};

class Ascii85Decoder final : public Decoder {
  public:
    using Decoder::Decoder;

  private:
    std::optional<std::uint8_t> next() override {
        if (left_ == 0 && !fill_group()) return std::nullopt;
        const auto byte = static_cast<std::uint8_t>(group_ >> 24U & 0xFFU);
        group_ <<= 8U;
        --left_;
        return byte;
    }

    bool fill_group() {
        std::uint64_t value = 0;
        unsigned digits = 0;
        while (digits < 5 && !ended_) {
            const auto c = in_.next();
            if (!c || *c == '~') {
                ended_ = true;
                if (c) in_.next();  // '>'
            } else if (*c == 'z' && digits == 0) {
                group_ = 0;
                left_ = 4;
                return true;
            } else if (*c >= '!' && *c <= 'u') {
                value = value * 85 + (*c - '!');
                ++digits;
            } else if (!is_blank(*c)) {
                damaged();
                return false;
            }
        }
        if (digits < 2) return false;
        for (unsigned i = digits; i < 5; ++i) value = value * 85 + 84;
        if (value > 0xFFFF'FFFF) {
            damaged();
            return false;
        }
        group_ = static_cast<std::uint32_t>(value);
        left_ = digits - 1;
        return true;
    }

    std::uint32_t group_ = 0;
    unsigned left_ = 0;
    bool ended_ = false;
};

class RunLengthDecoder final : public Decoder {
  public:
    using Decoder::Decoder;

  private:
    std::optional<std::uint8_t> next() override {
        if (left_ == 0 && !begin_run()) return std::nullopt;
        --left_;
        return repeated_ ? repeated_ : in_.next();
    }

    bool begin_run() {
        const auto length = ended_ ? std::nullopt : in_.next();
        ended_ = !length || *length == 128;
        if (ended_) return false;
        repeated_.reset();
        left_ = *length < 128 ? *length + 1U : 257U - *length;
        if (*length > 128) repeated_ = in_.next();
        return *length < 128 || repeated_.has_value();
    }

    unsigned left_ = 0;
    std::optional<std::uint8_t> repeated_;
    bool ended_ = false;
};

struct Chain {
    std::unique_ptr<ByteReader> reader;
    Decoder* first = nullptr;  // next to the input
};

Result<Chain> open_chain(const ByteSupply& input, const std::vector<PsFilter>& filters, const std::string& where) {
    auto opened = input.open();
    if (!opened) return fail(std::move(opened.error()));
    Chain chain{std::move(*opened), nullptr};
    for (const PsFilter filter : filters) {
        std::unique_ptr<Decoder> decoder;
        switch (filter) {
            case PsFilter::hex_string:
            case PsFilter::ascii_hex:
                decoder = std::make_unique<HexDecoder>(std::move(chain.reader), where, filter == PsFilter::ascii_hex);
                break;
            case PsFilter::ascii_85:
                decoder = std::make_unique<Ascii85Decoder>(std::move(chain.reader), where);
                break;
            case PsFilter::run_length:
                decoder = std::make_unique<RunLengthDecoder>(std::move(chain.reader), where);
                break;
        }
        if (chain.first == nullptr) chain.first = decoder.get();
        chain.reader = std::move(decoder);
    }
    return chain;
}

class FilteredReader final : public ByteReader {
  public:
    FilteredReader(Chain chain, std::uint64_t length) : chain_(std::move(chain)), left_(length) {}
    Result<std::size_t> read(std::span<std::byte> out) override {
        out = out.first(static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), left_)));
        auto got = chain_.reader->read(out);
        if (got) left_ -= *got;
        return got;
    }

  private:
    Chain chain_;
    std::uint64_t left_;
};

class FilteredSupply final : public ByteSupply {
  public:
    FilteredSupply(std::shared_ptr<const ByteSupply> input, std::vector<PsFilter> filters, std::uint64_t length,
                   std::string where)
        : input_(std::move(input)), filters_(std::move(filters)), length_(length), where_(std::move(where)) {}
    std::uint64_t length_bytes() const override { return length_; }
    Result<std::unique_ptr<ByteReader>> open() const override {
        auto chain = open_chain(*input_, filters_, where_);
        if (!chain) return fail(std::move(chain.error()));
        return std::make_unique<FilteredReader>(std::move(*chain), length_);
    }
    std::string description() const override { return "image data of " + where_; }

  private:
    std::shared_ptr<const ByteSupply> input_;
    std::vector<PsFilter> filters_;
    std::uint64_t length_;
    std::string where_;
};

}  // namespace

std::shared_ptr<const ByteSupply> make_filtered_supply(std::shared_ptr<const ByteSupply> input,
                                                       std::vector<PsFilter> filters, std::uint64_t length_bytes,
                                                       std::string where) {
    return std::make_shared<FilteredSupply>(std::move(input), std::move(filters), length_bytes, std::move(where));
}

Result<FilterCount> count_filtered(const ByteSupply& input, const std::vector<PsFilter>& filters,
                                   std::optional<std::uint64_t> decoded_bytes, const std::string& where) {
    auto chain = open_chain(input, filters, where);
    if (!chain) return fail(std::move(chain.error()));
    FilterCount count;
    std::vector<std::byte> block(block_bytes);
    while (!decoded_bytes || count.decoded_bytes < *decoded_bytes) {
        const std::uint64_t want = decoded_bytes ? *decoded_bytes - count.decoded_bytes : block.size();
        auto got = chain->reader->read(
            std::span(block).first(static_cast<std::size_t>(std::min<std::uint64_t>(want, block.size()))));
        if (!got) return fail(std::move(got.error()));
        if (*got == 0) break;
        count.decoded_bytes += *got;
    }
    // The end mark of the outermost encoding, when one inside it has ended first.
    while (!decoded_bytes && chain->first != nullptr) {
        auto rest = chain->first->read(block);
        if (!rest) return fail(std::move(rest.error()));
        if (*rest == 0) break;
    }
    count.taken_bytes = chain->first != nullptr ? chain->first->taken() : count.decoded_bytes;
    return count;
}

}  // namespace opispool::opi
