// SPDX-License-Identifier: AGPL-3.0-or-later
#include "base/byte_search.h"

#include <gtest/gtest.h>

#include <string>

namespace opispool {
namespace {

std::size_t find_percent(std::string_view text) {
    return find_byte(
        text, [](ByteVector b) { return ByteVector(b == '%'); }, [](char c) { return c == '%'; });
}

TEST(ByteSearch, FindsTheFirstAtEveryPlaceOfEveryLength) {
    for (std::size_t length = 0; length < 200; ++length) {
        std::string text(length, '\xFF');
        EXPECT_EQ(find_percent(text), length);
        for (std::size_t at = 0; at < length; ++at) {
            text[at] = '%';
            if (at + 1 < length) text.back() = '%';
            EXPECT_EQ(find_percent(text), at) << length;
            text[at] = text.back() = '\xFF';
        }
    }
}

TEST(ByteSearch, CountsMoreThanALaneHolds) {
    for (const std::size_t length :
         {std::size_t{0}, std::size_t{1}, std::size_t{15}, std::size_t{4080}, std::size_t{20'001}}) {
        EXPECT_EQ(count_byte(std::string(length, 'n'), 'n'), length);
        EXPECT_EQ(count_byte(std::string(length, '\xFF'), '\xFF'), length);
        EXPECT_EQ(count_byte(std::string(length, 'n'), 'm'), 0U);
        EXPECT_EQ(count_byte("m" + std::string(length, 'n') + "m", 'm'), 2U);
    }
}

}  // namespace
}  // namespace opispool
