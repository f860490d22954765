// SPDX-License-Identifier: AGPL-3.0-or-later
#include "queues/waiting.h"

#include <gmock/gmock.h>

#include "tests/queues/service_fixture.h"

namespace opispool::queues {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class WaitingTest : public ServiceTest {
  protected:
    std::string why(JobId id) const {
        const auto waiting = service_.why(id);
        return waiting ? to_line(*waiting) : std::string("-");
    }
};

TEST_F(WaitingTest, NothingIsSaidOfAJobThatMovesOrHasEnded) {
    const JobId next = submit();
    EXPECT_EQ(why(next), "-") << "it is the next one";
    EXPECT_TRUE(now([&](Done d) { service_.start(next, std::move(d)); }).ok());
    EXPECT_EQ(why(next), "-");
    EXPECT_TRUE(now([&](Done d) { service_.delivered(next, std::move(d)); }).ok());
    EXPECT_EQ(why(next), "-");
    EXPECT_EQ(why(JobId{77}), "-");
}

TEST_F(WaitingTest, ItsTurnHasNotCome) {
    const JobId sent = submit_and_send(1000, 380);
    const JobId second = submit(), third = submit();
    EXPECT_THAT(why(second), AllOf(StartsWith("job 1 is being printed (38 %), since "), HasSubstr("opispool topq 2")));
    EXPECT_THAT(why(third), StartsWith("job 1 is being printed (38 %) and 1 job is before it"));
    EXPECT_TRUE(now([&](Done d) { service_.delivered(sent, std::move(d)); }).ok());
    EXPECT_EQ(why(second), "-");
    EXPECT_THAT(why(third), StartsWith("1 job is before it"));
}

TEST_F(WaitingTest, APersonHeldIt) {
    const JobId id = submit();
    clock_.advance(60'000);
    EXPECT_TRUE(now([&](Done d) { service_.hold(id, "ben", std::move(d)); }).ok());
    const std::string since = "since " + local_time_text(clock_.now_ms());
    clock_.advance(60'000);
    EXPECT_TRUE(now([&](Done d) { service_.set_note(id, "x", "carl", std::move(d)); }).ok());
    EXPECT_TRUE(now([&](Done d) { service_.hold(id, "carl", std::move(d)); }).ok());
    EXPECT_EQ(why(id), "held by ben, " + since + "; ben or another operator: opispool release 1");
}

TEST_F(WaitingTest, AProblemHoldsIt) {
    const JobId id = submit_and_start();
    EXPECT_TRUE(now([&](Done d) { service_.hold_for_problem(id, "'a.tif' is missing\nmore", std::move(d)); }).ok());
    EXPECT_THAT(why(id), AllOf(StartsWith("'a.tif' is missing, since"), HasSubstr("opispool explain 1"),
                               HasSubstr("opispool release 1")));
}

TEST_F(WaitingTest, AJobInDoubtIsLookedAtFirst) {
    const JobId id = submit_and_send(1000, 380);
    EXPECT_TRUE(now([&](Done d) { service_.stop_and_hold(id, "ben", std::move(d)); }).ok());
    EXPECT_THAT(why(id), AllOf(HasSubstr("already sent"), HasSubstr("after a look at what the RIP printed"),
                               HasSubstr("opispool cancel 1")));
}

TEST_F(WaitingTest, TheDestinationIsGoneOrTheTimeHasNotCome) {
    const JobId id = submit_and_start();
    EXPECT_TRUE(now([&](Done d) { service_.retry_later(id, 9'000'000, "connection refused", std::move(d)); }).ok());
    EXPECT_THAT(why(id), AllOf(StartsWith("connection refused; next try at "),
                               HasSubstr("whoever looks after the RIP of plates: opispool release 1 (tries now)")));
    EXPECT_TRUE(now([&](Done d) { service_.schedule(id, 9'000'000, "ben", std::move(d)); }).ok());
    EXPECT_THAT(why(id), AllOf(StartsWith("scheduled by ben for "), HasSubstr("opispool release 1 (prints now)")));
}

TEST_F(WaitingTest, ItsQueueIsPausedOrGone) {
    const JobId id = submit();
    EXPECT_TRUE(now([&](Done d) { service_.set_switch("plates", QueueWord::paused, true, "ben", std::move(d)); }).ok());
    EXPECT_THAT(why(id), AllOf(StartsWith("queue plates was paused by ben, since"),
                               HasSubstr("an operator: opispool resume plates")));
    QueueService configured(runner_, clock_, {Queue{"proofs"}});
    ASSERT_TRUE(configured.recover(store_, [](const std::string&) { return std::optional<std::uint64_t>(1); }));
    EXPECT_THAT(to_line(*configured.why(id)),
                AllOf(HasSubstr("is not in the configuration"), HasSubstr("opispool move 1 -q QUEUE")));
}

TEST_F(WaitingTest, AQueueHoldsNewJobsOrADocumentHasNotCome) {
    EXPECT_THAT(why(submit(new_job("proofs"))), HasSubstr("holds every new job"));
    NewJob empty = new_job();
    empty.spool_file.clear();
    EXPECT_THAT(why(submit(empty)), AllOf(StartsWith("waiting for its document"), HasSubstr("opispool cancel")));
}

}  // namespace
}  // namespace opispool::queues
