// SPDX-License-Identifier: AGPL-3.0-or-later
#include "base/ordered_work.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <latch>
#include <stdexcept>
#include <vector>

namespace opispool {
namespace {

using Make = std::function<Result<void>(std::uint64_t, std::uint32_t, std::span<std::byte>)>;

struct Maker final : PartMaker {
    explicit Maker(Make m) : work(std::move(m)) {}
    Result<void> make(std::uint64_t lot_number, std::uint32_t part, std::span<std::byte> lot) override {
        return work(lot_number, part, lot);
    }
    Make work;
};

std::function<std::unique_ptr<PartMaker>()> makers_of(Make make) {
    return [make] { return std::make_unique<Maker>(make); };
}

// Each part writes its numbers to its own place in the lot.
Result<void> write_numbers(std::uint64_t lot_number, std::uint32_t part, std::span<std::byte> lot) {
    const std::uint64_t value = lot_number * 100 + part;
    std::memcpy(lot.data() + part * sizeof value, &value, sizeof value);
    return {};
}

std::vector<std::uint64_t> numbers_of(std::span<const std::byte> lot) {
    std::vector<std::uint64_t> out(lot.size() / sizeof(std::uint64_t));
    std::memcpy(out.data(), lot.data(), lot.size());
    return out;
}

std::shared_ptr<WorkCrew> crew_of(unsigned threads, std::size_t ahead_bytes = 1U << 20U) {
    return std::make_shared<WorkCrew>(threads, ahead_bytes);
}

TEST(OrderedWorkTest, LotsComeInOrderWhoeverMakesTheirParts) {
    for (const auto& crew : {std::shared_ptr<WorkCrew>(), crew_of(0), crew_of(1), crew_of(3)}) {
        for (std::uint32_t parts : {1U, 2U, 5U}) {
            OrderedWork work(crew, {200, parts, parts * sizeof(std::uint64_t)}, makers_of(write_numbers));
            for (std::uint64_t lot = 0; lot < 200; ++lot) {
                const auto made = work.next();
                ASSERT_TRUE(made);
                for (std::uint32_t part = 0; part < parts; ++part) ASSERT_EQ(numbers_of(*made)[part], lot * 100 + part);
            }
        }
    }
}

TEST(OrderedWorkTest, ALaterLotMayBeReadyFirst) {
    std::latch second_is_made(1);
    OrderedWork work(crew_of(1), {2, 1, sizeof(std::uint64_t)},
                     makers_of([&](std::uint64_t lot_number, std::uint32_t part, std::span<std::byte> lot) {
                         auto made = write_numbers(lot_number, part, lot);
                         if (lot_number == 0) second_is_made.wait();
                         if (lot_number == 1) second_is_made.count_down();
                         return made;
                     }));
    EXPECT_EQ(numbers_of(*work.next())[0], 0U);
    EXPECT_EQ(numbers_of(*work.next())[0], 100U);
}

TEST(OrderedWorkTest, TheFirstErrorByNumberComesOutAfterTheLotsBefore) {
    for (unsigned threads : {0U, 3U})
        for (int round = 0; round < 50; ++round) {
            OrderedWork work(crew_of(threads), {40, 4, 4 * sizeof(std::uint64_t)},
                             makers_of([](std::uint64_t lot_number, std::uint32_t part, std::span<std::byte> lot) {
                                 if (lot_number >= 7 && part >= 1)
                                     return Result<void>(fail(Code::bad_image, Operation::decode,
                                                              std::to_string(lot_number) + "/" + std::to_string(part)));
                                 return write_numbers(lot_number, part, lot);
                             }));
            for (int lot = 0; lot < 7; ++lot) ASSERT_TRUE(work.next()) << lot;
            const auto failed = work.next();
            ASSERT_FALSE(failed);
            EXPECT_EQ(failed.error().text, "7/1");
        }
}

TEST(OrderedWorkTest, AnExceptionOfAMakerReachesTheCaller) {
    for (unsigned threads : {0U, 2U}) {
        OrderedWork work(crew_of(threads), {10, 1, 8},
                         makers_of([](std::uint64_t lot_number, std::uint32_t, std::span<std::byte>) {
                             if (lot_number == 2) throw std::runtime_error("a bug");
                             return Result<void>();
                         }));
        ASSERT_TRUE(work.next());
        ASSERT_TRUE(work.next());
        EXPECT_THROW((void)work.next(), std::runtime_error);
    }
}

// The most lots that had begun beyond those the caller has asked for, himself included.
std::uint64_t furthest_ahead(const std::shared_ptr<WorkCrew>& crew, std::size_t lot_bytes) {
    std::atomic<std::uint64_t> asked{0}, ahead{0};
    OrderedWork work(crew, {300, 1, lot_bytes},
                     makers_of([&](std::uint64_t lot_number, std::uint32_t, std::span<std::byte>) {
                         const std::uint64_t begun = lot_number + 1 - std::min(lot_number + 1, asked.load());
                         for (std::uint64_t most = ahead; begun > most && !ahead.compare_exchange_weak(most, begun);) {
                         }
                         return Result<void>();
                     }));
    for (int i = 0; i < 300; ++i) {
        ++asked;
        EXPECT_TRUE(work.next());
    }
    return ahead;
}

TEST(OrderedWorkTest, MemoryAheadIsBoundedForAllWorkTogether) {
    const auto crew = crew_of(2, 10'000);
    EXPECT_LE(furthest_ahead(crew, 1000), 3U);
    EXPECT_EQ(furthest_ahead(crew, 20'000), 0U)
        << "a lot that is larger than the crew's memory is made when it is needed";
    {
        // The first holds three lots ahead, the others share what is left.
        OrderedWork first(crew, {100, 1, 3000}, makers_of(write_numbers));
        EXPECT_EQ(furthest_ahead(crew, 2000), 0U);
        EXPECT_FALSE(crew->take_ahead(1001));
    }
    EXPECT_TRUE(crew->take_ahead(10'000)) << "everything was given back";
}

TEST(OrderedWorkTest, WhatNobodyWantsAnyMoreIsDroppedWithoutWaiting) {
    std::latch crew_may_begin(1), part_has_begun(1), part_may_end(1);
    const auto crew = crew_of(1);
    crew->post([&](WorkCrew&) { crew_may_begin.wait(); });
    std::atomic<int> made{0};
    {
        OrderedWork work(crew, {100, 1, 8},
                         makers_of([&](std::uint64_t lot_number, std::uint32_t, std::span<std::byte>) {
                             ++made;
                             if (lot_number == 0) return Result<void>();
                             part_has_begun.count_down();
                             part_may_end.wait();
                             return Result<void>();
                         }));
        ASSERT_TRUE(work.next());
        crew_may_begin.count_down();
        part_has_begun.wait();
    }
    part_may_end.count_down();
    // The crew works through what was posted: when this has run, nothing of the old work is left.
    std::latch done(1);
    crew->post([&](WorkCrew&) { done.count_down(); });
    done.wait();
    EXPECT_EQ(made, 2);
}

}  // namespace
}  // namespace opispool
