// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/emit/strip_check.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "opi/emit/lzw_walk.h"
#include "opi/emit/whole_inflater.h"

namespace opispool::opi {

namespace {

constexpr std::uint64_t max_whole_bytes = std::uint64_t{4} << 20U;

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
    LzwLengths lengths;
    LzwWalk<LzwLengths> walk(lengths);
    std::vector<std::byte> input;  // codes lie across blocks: what has not been read yet, and the next block
    LzwEnd end = LzwEnd::input;
    for (std::size_t left = 0; end == LzwEnd::input; left = input.size() - lzw_read_slack_bytes) {
        const auto block = in.block();
        if (in.error()) return fail(std::move(*in.error()));
        if (block.empty()) break;
        input.resize(left);
        input.insert(input.end(), block.begin(), block.end());
        input.resize(input.size() + lzw_read_slack_bytes);
        end = walk.run(std::span(input).first(input.size() - lzw_read_slack_bytes), needed_bytes + 1);
        input.erase(input.begin(), input.begin() + static_cast<std::ptrdiff_t>(walk.read_bytes()));
    }
    StripCheck out;
    out.decoded_bytes = walk.decoded_bytes();
    out.has_end_mark = end == LzwEnd::mark;
    out.damaged = end == LzwEnd::damaged;
    return out;
}

namespace {

// A strip of ordinary size in one go.   returns  nothing when it is not of that kind, or not whole
Result<std::optional<StripCheck>> check_whole_deflate(const MappedFile& file, std::uint64_t offset,
                                                      std::uint64_t length, std::uint64_t needed_bytes) {
    if (length > max_whole_bytes || needed_bytes > max_whole_bytes) return std::nullopt;
    const auto size = static_cast<std::size_t>(length), room = static_cast<std::size_t>(needed_bytes);
    const auto input = std::make_unique_for_overwrite<std::byte[]>(size);
    const auto output = std::make_unique_for_overwrite<std::byte[]>(room);
    auto got = file.read_at(offset, {input.get(), size});
    if (!got) return fail(std::move(got.error()));
    const auto decoded = WholeInflater().run({input.get(), *got}, {output.get(), room});
    if (!decoded) return std::nullopt;
    StripCheck out;
    out.decoded_bytes = *decoded;
    out.has_end_mark = true;
    return out;
}

}  // namespace

Result<StripCheck> check_deflate(const MappedFile& file, std::uint64_t offset, std::uint64_t length,
                                 std::uint64_t needed_bytes) {
    auto whole = check_whole_deflate(file, offset, length, needed_bytes);
    if (!whole) return fail(std::move(whole.error()));
    if (*whole) return **whole;
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
