// SPDX-License-Identifier: AGPL-3.0-or-later
// LZW of TIFF (codes from the high end, widened one code early), read once: to count what a strip holds, or to have its
// bytes. A table entry is a piece of what has been written already, because a code stands for the string before it and
// one byte more.
//   source  TIFF 6.0 section 13
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace opispool::opi {

// So many bytes behind the input may be looked at, whatever they are.
constexpr std::size_t lzw_read_slack_bytes = 8;

enum class LzwEnd : std::uint8_t {
    input,    // more codes are needed
    enough,   // as many bytes as were asked for, or more
    mark,     // end of information
    damaged,  // a code that can't be
};

// Counts; nothing is kept.
class LzwLengths {
  public:
    static constexpr bool accepts_full_table = true;

    LzwLengths() { std::fill_n(lengths_.begin(), 256, std::uint16_t{1}); }
    // A string of `previous` bytes ends at `at`; with one byte more it is the new entry.
    void add(std::uint32_t entry, std::uint64_t, std::uint32_t previous) {
        lengths_[entry] = static_cast<std::uint16_t>(previous + 1);
    }
    // The string of `code` is next, at `at`.   returns  its length
    std::uint32_t put(std::uint32_t code, std::uint64_t, bool) { return lengths_[code]; }

  private:
    std::array<std::uint16_t, 4096> lengths_{};
};

// Writes the bytes; of a string that crosses the end of `out` the rest is dropped.
class LzwBytes {
  public:
    // What a full table means is for others to say.
    static constexpr bool accepts_full_table = false;

    explicit LzwBytes(std::span<std::byte> out) : out_(out.data()), size_(out.size()) {
        for (std::size_t i = 0; i < 256; ++i) {
            literals_[i] = std::byte{static_cast<unsigned char>(i)};
            begins_[i] = static_cast<std::uint32_t>(i);
            lengths_[i] = 1;
        }
    }
    void add(std::uint32_t entry, std::uint64_t at, std::uint32_t previous) {
        begins_[entry] = static_cast<std::uint32_t>(at - previous);
        lengths_[entry] = static_cast<std::uint16_t>(previous + 1);
    }
    std::uint32_t put(std::uint32_t code, std::uint64_t at, bool newest) {
        const std::byte* from = (code < 256 ? literals_.data() : out_) + begins_[code];
        const std::uint32_t length = lengths_[code];
        std::byte* to = out_ + at;
        if (size_ - at < length + std::uint64_t{chunk_bytes}) {
            const auto count = std::min<std::uint64_t>(length, size_ - at);
            for (std::size_t i = 0; i < count; ++i) to[i] = from[i];
            return length;
        }
        // The chunk's end may lie beyond the string: the next one is written over it.
        for (std::uint32_t done = 0; done < length; done += chunk_bytes) {
            std::array<std::byte, chunk_bytes> chunk;
            std::memcpy(chunk.data(), from + done, chunk_bytes);
            std::memcpy(to + done, chunk.data(), chunk_bytes);
        }
        // The newest string ends with the byte that it begins with, which a chunk reads too early.
        if (newest) to[length - 1] = to[0];
        return length;
    }

  private:
    static constexpr std::uint32_t chunk_bytes = 16;
    std::byte* out_;
    std::size_t size_;
    std::array<std::byte, 256 + chunk_bytes> literals_{};
    std::array<std::uint32_t, 4096> begins_{};
    std::array<std::uint16_t, 4096> lengths_{};
};

template <typename Strings>
class LzwWalk {
  public:
    explicit LzwWalk(Strings& strings) : strings_(strings) {}

    // in      begins with the byte that read_bytes() counts to, lzw_read_slack_bytes behind it
    // enough  stops as soon as so many bytes are decoded
    LzwEnd run(std::span<const std::byte> in, std::uint64_t enough) {
        // Bytes that are written might be these members, for all the compiler knows: it must not fetch them each time.
        State s = state_;
        const LzwEnd end = run(in, enough, s);
        state_ = s;
        return end;
    }
    std::uint64_t decoded_bytes() const { return state_.decoded_bytes; }
    // Whole bytes that have been read since the last call; the caller takes them away from the front of the input.
    std::size_t read_bytes() {
        const auto bytes = static_cast<std::size_t>(state_.bit / 8);
        state_.bit %= 8;
        return bytes;
    }

  private:
    static constexpr std::uint32_t clear_code = 256, end_code = 257, first_code = 258, entries = 4096;
    struct State {
        std::uint64_t bit = 0, decoded_bytes = 0;
        std::uint32_t next = first_code, width = 9, previous = 0;
    };

    LzwEnd run(std::span<const std::byte> in, std::uint64_t enough, State& s) {
        const std::uint64_t end_bit = std::uint64_t{in.size()} * 8;
        while (s.decoded_bytes < enough) {
            if (s.bit + s.width > end_bit) return LzwEnd::input;
            std::uint64_t ahead = 0;
            std::memcpy(&ahead, in.data() + s.bit / 8, sizeof ahead);
            if constexpr (std::endian::native == std::endian::little) ahead = __builtin_bswap64(ahead);
            const auto code = static_cast<std::uint32_t>(ahead << (s.bit % 8) >> (64 - s.width));
            s.bit += s.width;
            if (code == clear_code) {
                s.next = first_code;
                s.width = 9;
                s.previous = 0;
                continue;
            }
            if (code == end_code) return LzwEnd::mark;
            // The newest code may be used one step before it is complete.
            const bool newest = code == s.next && s.previous != 0;
            if (code >= s.next && !newest) return LzwEnd::damaged;
            if (s.next == entries) {
                if (!Strings::accepts_full_table) return LzwEnd::damaged;
            } else if (s.previous != 0) {
                strings_.add(s.next++, s.decoded_bytes, s.previous);
            }
            s.previous = strings_.put(code, s.decoded_bytes, newest);
            // TIFF widens one code early; the decoder's table is one entry behind the encoder's.
            if (s.next + 1 >= (1U << s.width) && s.width < 12) ++s.width;
            s.decoded_bytes += s.previous;
        }
        return LzwEnd::enough;
    }

    Strings& strings_;
    State state_;
};

}  // namespace opispool::opi
