// SPDX-License-Identifier: AGPL-3.0-or-later
// A job that is planned while it arrives: one connection, plan after plan.
#include <gtest/gtest.h>

#include "tests/rip_out/sender_fixture.h"

namespace opispool::rip_out {
namespace {

using fakes::FakeRip;
using fakes::RipSide;

class SentInParts : public SenderTest {
  protected:
    SendResult send_to(FakeRip& rip, const std::shared_ptr<const opi::SplicePlan>& plan) {
        settings.uri = rip.socket_uri();
        return send(plan);
    }
};

// Gives the plans one after the other, then what it is told to.
class Plans {
  public:
    using Plan = std::shared_ptr<const opi::SplicePlan>;
    Plans(Sender::Hooks& hooks, std::vector<Plan> plans, Result<Plan> end = Plan())
        : plans_(std::move(plans)), end_(end) {
        hooks.next_plan = [this] { return next(); };
    }

  private:
    boost::asio::awaitable<Result<Plan>> next() {
        Result<Plan> answer = at_ < plans_.size() ? Result<Plan>(plans_[at_]) : end_;
        ++at_;
        co_return answer;
    }
    std::vector<Plan> plans_;
    Result<Plan> end_;
    std::size_t at_ = 0;
};

TEST_F(SentInParts, SendsAJobThatIsPlannedInParts) {
    FakeRip rip([](RipSide& side) { side.read_to_end(); });
    Plans plans(hooks, {make_text_plan("page two\n"), make_text_plan("page three\n")});
    const SendResult result = send_to(rip, make_text_plan("%!\n"));
    EXPECT_EQ(result.outcome, Outcome::delivered) << result.text;
    EXPECT_EQ(rip.wait_received(1)[0], "%!\npage two\npage three\n");
    EXPECT_EQ(result.sent_bytes, 23U);
    EXPECT_EQ(hook_calls, 1);
}

TEST_F(SentInParts, APartThatNeverComesResetsTheConnection) {
    bool reset = false;
    FakeRip rip([&](RipSide& side) {
        side.read_to_end();
        reset = side.ended_by_reset;
    });
    Plans plans(hooks, {make_text_plan("page two\n")},
                fail(Code::disconnected, Operation::receive, "the rest is lost"));
    const SendResult result = send_to(rip, make_text_plan("%!\n"));
    EXPECT_EQ(result.outcome, Outcome::source_failed);
    EXPECT_EQ(result.text, "the rest is lost");
    EXPECT_EQ(result.sent_bytes, 12U);
    rip.wait_received(1);
    EXPECT_TRUE(reset);
}

TEST_F(SentInParts, AFailureInALaterPartTellsOfTheWholeJob) {
    FakeRip rip([](RipSide& side) {
        side.read_exactly(1000);
        side.write("%%[ Error: undefined; OffendingCommand: foo ]%%\r\n");
        side.wait_for_end();
    });
    Plans plans(hooks, {make_plan(24U << 20U)});
    const SendResult result = send_to(rip, make_text_plan("%!\n"));
    EXPECT_EQ(result.outcome, Outcome::rip_error);
    EXPECT_TRUE(contains(result.text, "undefined"));
    EXPECT_TRUE(contains(result.text, "3 bytes of earlier pages had been sent"));
    EXPECT_GT(result.sent_bytes, 3U);
}

}  // namespace
}  // namespace opispool::rip_out
