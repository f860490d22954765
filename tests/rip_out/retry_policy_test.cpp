// SPDX-License-Identifier: AGPL-3.0-or-later
#include "rip_out/retry_policy.h"

#include <gtest/gtest.h>

namespace opispool::rip_out {
namespace {

TEST(RetryPolicy, WaitsLongerAndNeverGivesUp) {
    const std::int64_t expected[] = {5'000, 10'000, 15'000, 20'000, 30'000, 30'000};
    for (unsigned attempt = 1; attempt <= 6; ++attempt)
        EXPECT_EQ(pick_retry_delay_ms(Outcome::not_started, false, attempt), expected[attempt - 1]) << attempt;
    EXPECT_EQ(pick_retry_delay_ms(Outcome::not_started, false, 100'000), 30'000);
    EXPECT_EQ(pick_retry_delay_ms(Outcome::not_started, false, 0), 5'000);
}

TEST(RetryPolicy, NeverAfterAByteOrARefusal) {
    for (const Outcome outcome :
         {Outcome::delivered, Outcome::interrupted, Outcome::rip_error, Outcome::source_failed, Outcome::canceled})
        EXPECT_FALSE(pick_retry_delay_ms(outcome, false, 1));
    SendResult refused;
    refused.stop_queue = true;
    EXPECT_FALSE(pick_retry_delay_ms(refused, 1));
}

}  // namespace
}  // namespace opispool::rip_out
