// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/emit/text_lines.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace opispool::opi {

namespace {

// Two base-85 digits, or two hexadecimal ones, at a time: a table of pairs halves the divisions.
constexpr std::uint32_t pairs_85 = 85 * 85;
using Pair = std::array<char, 2>;

constexpr auto ascii85_pairs = [] {
    std::array<Pair, pairs_85> pairs{};
    for (std::uint32_t i = 0; i < pairs_85; ++i)
        pairs[i] = {static_cast<char>('!' + i / 85), static_cast<char>('!' + i % 85)};
    return pairs;
}();

constexpr auto hex_pairs = [] {
    constexpr std::string_view digits = "0123456789abcdef";
    std::array<Pair, 256> pairs{};
    for (std::size_t i = 0; i < 256; ++i) pairs[i] = {digits[i >> 4U], digits[i & 15U]};
    return pairs;
}();

void put_ascii85_group(std::uint32_t group, char* out) {
    const std::uint32_t upper = group / pairs_85;
    out[0] = static_cast<char>('!' + upper / pairs_85);
    std::memcpy(out + 1, ascii85_pairs[upper % pairs_85].data(), 2);
    std::memcpy(out + 3, ascii85_pairs[group % pairs_85].data(), 2);
}

#if defined(__x86_64__)

// Four groups, each with 64 bits to itself, to their five digits in the lower bytes of the same. Quotients come out by
// multiplication: the factors are 2^44 and 2^32 divided by 7225, and 2^21 divided by 85, rounded up, which is exact
// over the range of each dividend.
__attribute__((target("avx2"))) inline __m256i ascii85_digits(__m256i groups) {
    const __m256i square = _mm256_set1_epi64x(pairs_85), base = _mm256_set1_epi64x(85);
    const __m256i by_base = _mm256_set1_epi64x(24673);
    const __m256i upper = _mm256_srli_epi64(_mm256_mul_epu32(groups, _mm256_set1_epi64x(2434904643)), 44);
    const __m256i lower = _mm256_sub_epi32(groups, _mm256_mul_epu32(upper, square));
    const __m256i digit_0 = _mm256_srli_epi64(_mm256_mul_epu32(upper, _mm256_set1_epi64x(594460)), 32);
    const __m256i middle = _mm256_sub_epi32(upper, _mm256_mul_epu32(digit_0, square));
    const __m256i digit_1 = _mm256_srli_epi64(_mm256_mul_epu32(middle, by_base), 21);
    const __m256i digit_2 = _mm256_sub_epi32(middle, _mm256_mul_epu32(digit_1, base));
    const __m256i digit_3 = _mm256_srli_epi64(_mm256_mul_epu32(lower, by_base), 21);
    const __m256i digit_4 = _mm256_sub_epi32(lower, _mm256_mul_epu32(digit_3, base));
    const __m256i first = _mm256_or_si256(digit_0, _mm256_slli_epi64(digit_1, 8));
    const __m256i second = _mm256_or_si256(_mm256_slli_epi64(digit_2, 16), _mm256_slli_epi64(digit_3, 24));
    return _mm256_or_si256(_mm256_or_si256(first, second), _mm256_slli_epi64(digit_4, 32));
}

// 32 bytes to 40 characters; up to 46 are written to.
__attribute__((target("avx2"))) inline void put_eight_groups(const std::byte* in, char* out) {
    const __m256i swap =
        _mm256_broadcastsi128_si256(_mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12));
    const __m256i pack =
        _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 2, 3, 4, 8, 9, 10, 11, 12, -1, -1, -1, -1, -1, -1));
    __m256i bytes;
    std::memcpy(&bytes, in, sizeof bytes);
    const __m256i groups = _mm256_shuffle_epi8(bytes, swap);
    const __m256i even = ascii85_digits(_mm256_and_si256(groups, _mm256_set1_epi64x(0xffffffff)));
    const __m256i odd = ascii85_digits(_mm256_srli_epi64(groups, 32));
    const auto ten = [&](__m256i pair) __attribute__((target("avx2"))) {
        return _mm256_add_epi8(_mm256_shuffle_epi8(pair, pack), _mm256_set1_epi8('!'));
    };
    const __m256i groups_01_45 = ten(_mm256_unpacklo_epi64(even, odd));
    const __m256i groups_23_67 = ten(_mm256_unpackhi_epi64(even, odd));
    const __m128i parts[] = {_mm256_castsi256_si128(groups_01_45), _mm256_castsi256_si128(groups_23_67),
                             _mm256_extracti128_si256(groups_01_45, 1), _mm256_extracti128_si256(groups_23_67, 1)};
    for (std::size_t i = 0; i < 4; ++i) std::memcpy(out + i * 10, &parts[i], sizeof parts[i]);
}

__attribute__((target("avx2"))) std::size_t put_groups_by_vectors(std::span<const std::byte> in, char* out) {
    std::size_t at = 0;
    for (; at + 32 <= in.size(); at += 32) put_eight_groups(in.data() + at, out + at / 4 * 5);
    return at;
}

#endif

// The bulk of a line, by vectors where the machine has them.   returns  bytes of `in` that are done
std::size_t put_many_groups([[maybe_unused]] std::span<const std::byte> in, [[maybe_unused]] char* out) {
#if defined(__x86_64__)
    static const bool has_vectors = __builtin_cpu_supports("avx2") != 0;
    if (has_vectors) return put_groups_by_vectors(in, out);
#endif
    return 0;
}

char* finish_line(std::span<const std::byte> in, std::size_t done, char* out) {
    const std::size_t whole = in.size() / 4 * 4;
    for (; done < whole; done += 4, out += 5) {
        std::uint32_t group = 0;
        for (std::size_t i = 0; i < 4; ++i) group = (group << 8U) | std::to_integer<std::uint32_t>(in[done + i]);
        put_ascii85_group(group, out);
    }
    if (const std::size_t rest = in.size() - whole; rest > 0) {
        std::uint32_t group = 0;
        for (std::size_t i = 0; i < 4; ++i)
            group = (group << 8U) | (i < rest ? std::to_integer<std::uint32_t>(in[whole + i]) : 0U);
        std::array<char, 5> digits{};
        put_ascii85_group(group, digits.data());
        out = std::copy_n(digits.begin(), rest + 1, out);
    }
    *out++ = '\n';
    return out;
}

}  // namespace

// A line that began with '%' would look like a comment to a DSC reader. The blank is always there, because a length
// that depended on the data could not be known in advance.
char* encode_ascii85_line(std::span<const std::byte> in, char* out) {
    *out++ = ' ';
    const std::size_t done = put_many_groups(in, out);
    return finish_line(in, done, out + done / 4 * 5);
}

char* encode_ascii85_line_by_words(std::span<const std::byte> in, char* out) {
    *out++ = ' ';
    return finish_line(in, 0, out);
}

char* encode_hex_line(std::span<const std::byte> in, char* out) {
    for (const std::byte b : in) {
        std::memcpy(out, hex_pairs[std::to_integer<std::size_t>(b)].data(), 2);
        out += 2;
    }
    *out++ = '\n';
    return out;
}

}  // namespace opispool::opi
