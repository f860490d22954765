// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/emit/encoders.h"

#include <gtest/gtest.h>

#include "opi/emit/text_lines.h"
#include "tests/opi/raster_test_support.h"

namespace opispool::opi::test {
namespace {

std::string decode_hex(const std::string& text) {
    std::string out;
    int high = -1;
    for (char c : text) {
        if (c == '>') break;
        if (c == '\n') continue;
        const int digit = c <= '9' ? c - '0' : c - 'a' + 10;
        if (high < 0) {
            high = digit;
        } else {
            out += static_cast<char>(high * 16 + digit);
            high = -1;
        }
    }
    return out;
}

std::string decode_ascii85(const std::string& text) {
    std::string out;
    std::vector<std::uint32_t> group;
    auto flush = [&] {
        const std::size_t digits = group.size();
        if (digits == 0) return;
        group.resize(5, 84);
        std::uint32_t value = 0;
        for (std::uint32_t digit : group) value = value * 85 + digit;
        for (std::size_t i = 0; i + 1 < digits; ++i) out += static_cast<char>(value >> (24 - 8 * i));
        group.clear();
    };
    for (char c : text) {
        if (c == '~') break;
        if (c == ' ' || c == '\n') continue;
        EXPECT_NE(c, 'z');
        group.push_back(static_cast<std::uint32_t>(c - '!'));
        if (group.size() == 5) flush();
    }
    flush();
    return out;
}

std::string produce(const GeneratedData& data, std::size_t step) {
    auto encoder = data.start();
    EXPECT_TRUE(encoder);
    std::string out;
    std::vector<std::byte> block(step);
    for (;;) {
        auto got = (*encoder)->produce(block);
        if (!got) {
            ADD_FAILURE() << describe(got.error());
            return out;
        }
        if (*got == 0) return out;
        for (std::size_t i = 0; i < *got; ++i) out += static_cast<char>(block[i]);
    }
}

std::string test_bytes(std::size_t size) {
    std::string out;
    for (std::size_t i = 0; i < size; ++i) out += static_cast<char>(i % 5 == 0 ? 0 : i * 37 + i / 256);
    return out;
}

TEST(EncodersTest, LengthIsKnownBeforeAndTextDecodesToTheInput) {
    TempDir dir;
    for (std::size_t size : {1, 2, 3, 4, 5, 35, 36, 37, 63, 64, 65, 66, 67, 68, 1000, 65536, 65537, 200001}) {
        const std::string input = test_bytes(size);
        write_file(dir.path("in"), input);
        auto supply = make_file_supply(map(dir.path("in")), {{"", 0, size, ""}});
        for (auto encoding : {ChannelEncoding::binary, ChannelEncoding::ascii85, ChannelEncoding::hex}) {
            auto data = encode_runs(supply, {size}, encoding);
            const std::string text = produce(*data, 4096);
            EXPECT_EQ(text.size(), data->length_bytes()) << size;
            EXPECT_EQ(text.size(), encoded_length(encoding, size)) << size;
            if (encoding == ChannelEncoding::binary) {
                EXPECT_EQ(text, input);
            }
            if (encoding == ChannelEncoding::ascii85) {
                EXPECT_EQ(decode_ascii85(text), input) << size;
            }
            if (encoding == ChannelEncoding::hex) {
                EXPECT_EQ(decode_hex(text), input) << size;
            }
        }
    }
}

TEST(EncodersTest, VectorsAndWordsGiveTheSameLine) {
    std::vector<std::byte> input;
    std::uint32_t state = 7;
    for (int i = 0; i < 4096; ++i) {
        state = state * 1664525U + 1013904223U;
        // Noise, and the ends of the range.
        input.push_back(std::byte{static_cast<unsigned char>(i % 3 == 0 ? 0xFF : i % 11 == 0 ? 0 : state >> 24U)});
    }
    std::fill_n(input.begin() + 1000, 64, std::byte{0xFF});
    for (std::size_t from = 0; from + 200 < input.size(); from += 37)
        for (std::size_t size = 1; size <= 130; ++size) {
            const auto line = std::span<const std::byte>(input).subspan(from, size);
            std::string quick(size * 2 + 20, '?'), slow(size * 2 + 20, '?');
            const auto length = encode_ascii85_line(line, quick.data()) - quick.data();
            ASSERT_EQ(encode_ascii85_line_by_words(line, slow.data()) - slow.data(), length);
            EXPECT_EQ(quick.find_first_not_of('?', static_cast<std::size_t>(length) + text_slack_bytes),
                      std::string::npos);
            ASSERT_EQ(quick.substr(0, static_cast<std::size_t>(length)),
                      slow.substr(0, static_cast<std::size_t>(length)))
                << from << "+" << size;
        }
}

TEST(EncodersTest, EveryRequestSizeGivesTheSameText) {
    TempDir dir;
    write_file(dir.path("in"), test_bytes(500));
    auto supply = make_file_supply(map(dir.path("in")), {{"head", 3, 200, ""}, {"", 300, 100, "tail"}});
    ASSERT_EQ(supply->length_bytes(), 308U);
    for (auto encoding : {ChannelEncoding::binary, ChannelEncoding::ascii85, ChannelEncoding::hex}) {
        auto data = encode_runs(supply, {204, 104}, encoding);
        const std::string whole = produce(*data, 100000);
        for (std::size_t step = 1; step < 90; ++step) EXPECT_EQ(produce(*data, step), whole) << step;
    }
}

TEST(EncodersTest, RunsEndOnTheirOwnAndNoLineLooksLikeAComment) {
    TempDir dir;
    // Bytes whose ASCII85 digits begin with '%'.
    write_file(dir.path("in"), std::string(640, '\x0E'));
    auto supply = make_file_supply(map(dir.path("in")), {{"", 0, 640, ""}});
    const std::string text = produce(*encode_runs(supply, {300, 340}, ChannelEncoding::ascii85), 4096);
    EXPECT_NE(text.find("%"), std::string::npos);
    EXPECT_EQ(text.find("\n%"), std::string::npos);
    EXPECT_NE(text.front(), '%');
    const std::size_t first_end = text.find("~>\n");
    ASSERT_NE(first_end, std::string::npos);
    EXPECT_EQ(decode_ascii85(text.substr(0, first_end)).size(), 300U);
    EXPECT_EQ(decode_ascii85(text.substr(first_end + 3)).size(), 340U);
}

TEST(EncodersTest, AFileThatShrinksIsAnErrorNotShortData) {
    TempDir dir;
    write_file(dir.path("in"), test_bytes(5000));
    auto supply = make_file_supply(map(dir.path("in")), {{"", 0, 5000, ""}});
    ASSERT_TRUE(verify_supply(*supply));
    write_file(dir.path("in"), test_bytes(100));
    auto verified = verify_supply(*supply);
    ASSERT_FALSE(verified);
    EXPECT_EQ(verified.error().code, Code::changed);
}

}  // namespace
}  // namespace opispool::opi::test
