// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/retention.h"

#include <gmock/gmock.h>

#include "spooler/job_ledger.h"

namespace opispool::spooler {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::int64_t day_ms = 24LL * 3600 * 1000;

queues::JobSnapshot finished(std::int64_t id, UnixMs at_ms, std::uint64_t size_bytes = 10) {
    queues::JobSnapshot job;
    job.id = queues::JobId{id};
    job.queue = "cover";
    job.spool_file = std::to_string(id) + ".job";
    job.size_bytes = size_bytes;
    job.since_ms = at_ms;
    job.state = queues::JobState::completed;
    return job;
}

std::vector<std::int64_t> ids(const std::vector<Retention::Expired>& expired) {
    std::vector<std::int64_t> numbers;
    for (const Retention::Expired& one : expired) numbers.push_back(one.id.value);
    return numbers;
}

TEST(Retention, TheOldestGoByCountAgeAndBytes) {
    Retention retention;
    for (std::int64_t id = 1; id <= 5; ++id) retention.add(finished(id, id * day_ms));
    const auto by_count = retention.take_expired("cover", {4, 0, 0}, 6 * day_ms);
    ASSERT_THAT(ids(by_count), ElementsAre(1));
    EXPECT_EQ(by_count[0].spool_file, "1.job");
    EXPECT_THAT(by_count[0].why, HasSubstr("keep_finished=4"));
    const auto by_age = retention.take_expired("cover", {4, 3 * day_ms, 0}, 6 * day_ms);
    ASSERT_THAT(ids(by_age), ElementsAre(2));
    EXPECT_THAT(by_age[0].why, HasSubstr("keep_days=3"));
    const auto by_bytes = retention.take_expired("cover", {4, 0, 25}, 6 * day_ms);
    ASSERT_THAT(ids(by_bytes), ElementsAre(3));
    EXPECT_THAT(by_bytes[0].why, HasSubstr("keep_bytes=25"));
    EXPECT_THAT(ids(retention.take_expired("cover", {4, 0, 25}, 6 * day_ms)), IsEmpty());
    EXPECT_THAT(ids(retention.take_expired("inside", {0, 0, 0}, 6 * day_ms)), IsEmpty());
}

TEST(Retention, AJobThatIsPrintedAgainStays) {
    Retention retention;
    retention.add(finished(1, 0));
    retention.add(finished(2, 0));
    retention.remove(queues::JobId{1});
    EXPECT_THAT(ids(retention.take_expired("cover", {0, 0, 0}, 0)), ElementsAre(2));
    retention.add(finished(1, 0));
    EXPECT_THAT(ids(retention.take_expired("cover", {0, 0, 0}, 0)), ElementsAre(1));
}

TEST(Retention, AQueuesOwnKeyWins) {
    Config config;
    config.keep_finished = 7;
    QueueConfig queue;
    EXPECT_EQ(retention_of(queue, config).most, 7U);
    queue.keep_finished = 2;
    queue.keep_days = 3;
    queue.keep_bytes = 4;
    const RetentionRules rules = retention_of(queue, config);
    EXPECT_EQ(rules.most, 2U);
    EXPECT_EQ(rules.longest_ms, 3 * day_ms);
    EXPECT_EQ(rules.most_bytes, 4U);
}

TEST(JobLedger, WarnsOfFewPixelsAndOfRgb) {
    opi::ReferenceRecord record;
    record.page = 3;
    record.asked = "car.tif";
    record.ppi = 143.6;
    record.colour = "RGB";
    record.search = {{opi::SearchStep::Kind::candidate, "car.tif", "taken"},
                     {opi::SearchStep::Kind::result, "", "not told"}};
    const auto entries = ledger_of({record});
    EXPECT_EQ(entries[0].search, "car.tif: taken");
    QueueConfig queue;
    EXPECT_THAT(quality_warnings(entries, queue), IsEmpty());
    queue.min_ppi = 144;
    queue.warn_rgb = true;
    EXPECT_THAT(quality_warnings(entries, queue),
                ElementsAre(HasSubstr("image 'car.tif' on page 3 has 144 ppi"), HasSubstr("is in RGB")));
    queue.min_ppi = 143;
    EXPECT_THAT(quality_warnings(entries, queue), ElementsAre(HasSubstr("is in RGB")));
}

}  // namespace
}  // namespace opispool::spooler
