// SPDX-License-Identifier: AGPL-3.0-or-later
#include "queues/job_pattern.h"

#include <gtest/gtest.h>

namespace opispool::queues {
namespace {

TEST(JobPattern, StarsAndQuestionMarks) {
    const struct {
        const char *pattern, *text;
        bool fits;
    } cases[] = {
        {"", "", true},
        {"*", "", true},
        {"*", "x", true},
        {"cover", "Cover", true},
        {"cover", "cover 2", false},
        {"cover*", "COVER 2", true},
        {"*.ps", "a.ps", true},
        {"*.ps", "a.psx", false},
        {"a?c", "abc", true},
        {"a?c", "ac", false},
        {"*a*b*", "xxaxxbxx", true},
        {"*a*b*", "ba", false},
        {"**", "anything", true},
        {"a*", "b", false},
        {"[a]", "a", false},
        {"a*bc", "abbcbc", true},
    };
    for (const auto& one : cases)
        EXPECT_EQ(matches_pattern(one.pattern, one.text), one.fits) << one.pattern << one.text;
}

TEST(JobPattern, EveryPartThatIsGivenMustFit) {
    Job job;
    job.title = "Cover page";
    job.user = "anna";
    job.queue = "plates";
    EXPECT_TRUE(matches({}, job));
    EXPECT_TRUE(matches({"cover*", "", "plates"}, job));
    EXPECT_FALSE(matches({"cover*", "ben", "plates"}, job));
    EXPECT_FALSE(matches({"cover*", "anna", "p"}, job));
    EXPECT_TRUE(JobPattern{}.empty());
    EXPECT_FALSE((JobPattern{"", "", "x"}).empty());
}

}  // namespace
}  // namespace opispool::queues
