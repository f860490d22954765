// SPDX-License-Identifier: AGPL-3.0-or-later
// Searching bytes 16 at a time, with the vectors every 64-bit machine has (GCC and clang vector extensions): for
// passes over gigabytes where a byte of interest is rare.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace opispool {

using ByteVector = unsigned char __attribute__((vector_size(16)));

// Index of the first byte that `one` accepts, or text.size().
//   many  the same question about 16 bytes at once: takes a ByteVector, gives one with non-zero bytes where the answer
//         is yes
template <typename Many, typename One>
std::size_t find_byte(std::string_view text, Many many, One one) {
    constexpr std::size_t step = 4 * sizeof(ByteVector);
    std::size_t i = 0;
    for (; i + step <= text.size(); i += step) {
        ByteVector b[4];
        std::memcpy(b, text.data() + i, step);
        const auto hits = many(b[0]) | many(b[1]) | many(b[2]) | many(b[3]);
        std::uint64_t words[2];
        static_assert(sizeof words == sizeof hits);
        std::memcpy(words, &hits, sizeof words);
        if ((words[0] | words[1]) != 0) break;
    }
    while (i < text.size() && !one(text[i])) ++i;
    return i;
}

// How often `wanted` occurs.
inline std::uint64_t count_byte(std::string_view text, char wanted) {
    std::uint64_t count = 0;
    std::size_t i = 0;
    while (i + sizeof(ByteVector) <= text.size()) {
        // A lane counts to 255 at most.
        const std::size_t end = std::min(text.size(), i + 255 * sizeof(ByteVector));
        ByteVector sums{};
        for (; i + sizeof(ByteVector) <= end; i += sizeof(ByteVector)) {
            ByteVector bytes;
            std::memcpy(&bytes, text.data() + i, sizeof bytes);
            // A comparison gives -1 for yes.
            sums -= ByteVector(bytes == static_cast<unsigned char>(wanted));
        }
        for (std::size_t lane = 0; lane < sizeof(ByteVector); ++lane) count += sums[lane];
    }
    for (; i < text.size(); ++i) count += text[i] == wanted;
    return count;
}

}  // namespace opispool
