// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/emit/strip_check.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace opispool::opi {

namespace {

// The bytes of one range through a small buffer.
class RangeReader {
  public:
    RangeReader(const MappedFile& file, std::uint64_t offset, std::uint64_t length)
        : file_(file), at_(offset), left_(length) {}

    // The next bytes, empty at the end or after an error.
    std::span<const std::byte> block() {
        const auto want = static_cast<std::size_t>(std::min<std::uint64_t>(buffer_.size(), left_));
        auto got = file_.read_at(at_, std::span(buffer_).first(want));
        if (!got) {
            error_ = std::move(got.error());
            return {};
        }
        if (*got < want) {
            error_ = Error{Code::changed, Operation::read, "the file has become shorter while it was being read",
                           file_.name(), at_ + *got};
            return {};
        }
        at_ += want;
        left_ -= want;
        return std::span(buffer_).first(want);
    }
    // One byte, or -1 at the end.
    int byte() {
        if (next_ == current_.size()) {
            current_ = block();
            next_ = 0;
            if (current_.empty()) return -1;
        }
        return std::to_integer<int>(current_[next_++]);
    }
    bool skip(std::size_t count) {
        while (count-- > 0)
            if (byte() < 0) return false;
        return true;
    }
    std::optional<Error>& error() { return error_; }

  private:
    const MappedFile& file_;
    std::uint64_t at_, left_;
    std::vector<std::byte> buffer_ = std::vector<std::byte>(64U << 10U);
    std::span<const std::byte> current_;
    std::size_t next_ = 0;
    std::optional<Error> error_;
};

class LzwCounter {
  public:
    explicit LzwCounter(RangeReader& in) : in_(in) {}

    StripCheck run(std::uint64_t needed) {
        StripCheck out;
        std::uint32_t previous_length = 0;
        while (out.decoded_bytes <= needed) {
            const int code = next_code();
            if (code < 0) return out;
            if (code == end_code) {
                out.has_end_mark = true;
                return out;
            }
            if (code == clear_code) {
                next_ = first_code;
                width_ = 9;
                previous_length = 0;
                continue;
            }
            const auto c = static_cast<std::uint32_t>(code);
            std::uint32_t length = 1;
            if (c >= 256) {
                // The newest code may be used one step before it is complete.
                const bool newest = previous_length != 0 && c == next_;
                if (!newest && (c >= next_ || c < first_code)) {
                    out.damaged = true;
                    return out;
                }
                length = newest ? previous_length + 1 : lengths_[c];
            }
            if (previous_length != 0 && next_ < lengths_.size()) lengths_[next_++] = previous_length + 1;
            previous_length = length;
            // TIFF widens one code early; the decoder's table is one entry behind the encoder's.
            if (width_ < 12 && next_ + 1 >= (1U << width_)) ++width_;
            out.decoded_bytes += length;
        }
        return out;
    }

  private:
    static constexpr int clear_code = 256;
    static constexpr int end_code = 257;
    static constexpr std::uint32_t first_code = 258;

    int next_code() {
        while (held_ < width_) {
            const int b = in_.byte();
            if (b < 0) return -1;
            bits_ = (bits_ << 8U) | static_cast<std::uint32_t>(b);
            held_ += 8;
        }
        held_ -= width_;
        return static_cast<int>((bits_ >> held_) & ((1U << width_) - 1));
    }

    RangeReader& in_;
    std::array<std::uint32_t, 4096> lengths_{};
    std::uint32_t next_ = first_code;
    std::uint32_t bits_ = 0, held_ = 0, width_ = 9;
};

struct Inflater {
    z_stream stream{};
    bool ready = false;
    Inflater() { ready = inflateInit(&stream) == Z_OK; }
    ~Inflater() {
        if (ready) inflateEnd(&stream);
    }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;
};

}  // namespace

Result<bool> is_old_style_lzw(const MappedFile& file, std::uint64_t offset, std::uint64_t length) {
    std::array<std::byte, 2> head{};
    auto got =
        file.read_at(offset, std::span(head).first(static_cast<std::size_t>(std::min<std::uint64_t>(2, length))));
    if (!got) return fail(std::move(got.error()));
    return *got == 2 && head[0] == std::byte{0} && (head[1] & std::byte{1}) != std::byte{0};
}

Result<StripCheck> check_lzw(const MappedFile& file, std::uint64_t offset, std::uint64_t length,
                             std::uint64_t needed_bytes) {
    const auto old_style = is_old_style_lzw(file, offset, length);
    if (!old_style) return fail(old_style.error());
    if (*old_style) {
        StripCheck old;
        old.old_style_lzw = true;
        return old;
    }
    RangeReader in(file, offset, length);
    StripCheck out = LzwCounter(in).run(needed_bytes);
    if (in.error()) return fail(std::move(*in.error()));
    return out;
}

Result<StripCheck> check_deflate(const MappedFile& file, std::uint64_t offset, std::uint64_t length,
                                 std::uint64_t needed_bytes) {
    Inflater inflater;
    if (!inflater.ready) return fail(Code::internal, Operation::decode, "zlib can't be started", file.name());
    RangeReader in(file, offset, length);
    std::vector<unsigned char> sink(64U << 10U);
    StripCheck out;
    for (;;) {
        auto block = in.block();
        if (in.error()) return fail(std::move(*in.error()));
        if (block.empty()) return out;
        std::vector<unsigned char> input(block.size());
        std::transform(block.begin(), block.end(), input.begin(),
                       [](std::byte b) { return std::to_integer<unsigned char>(b); });
        inflater.stream.next_in = input.data();
        inflater.stream.avail_in = static_cast<uInt>(input.size());
        do {
            inflater.stream.next_out = sink.data();
            inflater.stream.avail_out = static_cast<uInt>(sink.size());
            const int state = inflate(&inflater.stream, Z_NO_FLUSH);
            out.decoded_bytes += sink.size() - inflater.stream.avail_out;
            if (state == Z_STREAM_END) {
                out.has_end_mark = true;
                return out;
            }
            if (state != Z_OK && state != Z_BUF_ERROR) {
                out.damaged = true;
                return out;
            }
            if (out.decoded_bytes > needed_bytes) return out;
        } while (inflater.stream.avail_out == 0);
    }
}

Result<StripCheck> check_packbits(const MappedFile& file, std::uint64_t offset, std::uint64_t length,
                                  std::uint64_t needed_bytes) {
    RangeReader in(file, offset, length);
    StripCheck out;
    out.has_end_mark = true;
    while (out.decoded_bytes < needed_bytes) {
        const int op = in.byte();
        if (op < 0) break;
        if (op == 128) {
            out.has_no_op = true;
            continue;
        }
        const std::size_t count = op < 128 ? static_cast<std::size_t>(op) + 1 : static_cast<std::size_t>(257 - op);
        if (!in.skip(op < 128 ? count : 1)) break;
        out.decoded_bytes += count;
    }
    // What follows the last row must not be read as more rows: look whether anything but no-ops is left.
    if (out.decoded_bytes >= needed_bytes)
        for (int op = in.byte(); op >= 0; op = in.byte()) {
            if (op == 128) continue;
            out.decoded_bytes = std::max(out.decoded_bytes, needed_bytes + 1);
            break;
        }
    if (in.error()) return fail(std::move(*in.error()));
    return out;
}

}  // namespace opispool::opi
