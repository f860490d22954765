// SPDX-License-Identifier: AGPL-3.0-or-later
#include <gtest/gtest.h>

#include "rip_out/lpd_control_file.h"
#include "tests/rip_out/sender_fixture.h"

namespace opispool::rip_out {
namespace {

using fakes::FakeRip;
using fakes::LpdJob;
using fakes::RipSide;
using namespace std::string_literals;

constexpr std::size_t large = 24U << 20U;
const std::string ack = "\0"s, ack_twice = "\0\0"s;

class LpdSender : public SenderTest {
  protected:
    SendResult send_to(FakeRip& rip, const std::shared_ptr<const opi::SplicePlan>& plan) {
        settings.uri = rip.lpd_uri();
        return send(plan);
    }
    // The steps of a receiver that takes the control file first.
    static void take_control(RipSide& side, const std::string& answer = ack) {
        side.read_line();
        side.write(answer);
        take_file(side, answer);
    }
    static void take_file(RipSide& side, const std::string& answer = ack) {
        take_data_line(side, answer);
        side.read_exactly(count_ + 1);
        side.write(answer);
    }
    static void take_data_line(RipSide& side, const std::string& answer = ack) {
        const std::string line = side.read_line();
        count_ = std::stoull(line.substr(1));
        side.write(answer);
    }
    static inline std::size_t count_ = 0;  // only the fake's thread
};

TEST_F(LpdSender, SendsControlThenDataWithTheExactCount) {
    LpdJob job;
    FakeRip rip([&](RipSide& side) { job = fakes::receive_lpd_job(side); });
    const auto plan = make_plan(3'000'000);
    const SendResult result = send_to(rip, plan);
    EXPECT_EQ(result.outcome, Outcome::delivered) << result.text;
    EXPECT_EQ(result.sent_bytes, plan->total_bytes());
    EXPECT_EQ(hook_calls, 1);
    rip.wait_received(1);
    EXPECT_TRUE(job.data == expected);
    EXPECT_FALSE(job.data_came_first);
    EXPECT_EQ(job.queue, "\x02plates\n");
    EXPECT_EQ(job.control, make_control_file(ticket, own_host_name(), 'o'));
    EXPECT_EQ(job.control_name, make_lpd_names(ticket, own_host_name()).control);
    EXPECT_EQ(job.data_name, make_lpd_names(ticket, own_host_name()).data);
}

TEST_F(LpdSender, SendsDataFirstWhenAsked) {
    settings.lpd_data_first = true;
    settings.lpd_format = 'l';
    LpdJob job;
    FakeRip rip([&](RipSide& side) { job = fakes::receive_lpd_job(side); });
    EXPECT_EQ(send_to(rip, make_plan(100'000)).outcome, Outcome::delivered);
    rip.wait_received(1);
    EXPECT_TRUE(job.data == expected);
    EXPECT_TRUE(job.data_came_first);
    EXPECT_TRUE(contains(job.control, "\nldfA042"));
}

TEST_F(LpdSender, FallsBackFromAReservedPort) {
    settings.lpd_reserved_port = true;
    LpdJob job;
    FakeRip rip([&](RipSide& side) { job = fakes::receive_lpd_job(side); });
    EXPECT_EQ(send_to(rip, make_plan(10'000)).outcome, Outcome::delivered);
    rip.wait_received(1);
    EXPECT_TRUE(job.data == expected);
}

TEST_F(LpdSender, TryAgainLaterIsNotStarted) {
    FakeRip rip([](RipSide& side) {
        side.read_line();
        side.write("\x02");
    });
    const SendResult result = send_to(rip, make_plan(10'000));
    EXPECT_EQ(result.outcome, Outcome::not_started);
    EXPECT_FALSE(result.stop_queue);
    EXPECT_EQ(hook_calls, 0);
}

TEST_F(LpdSender, ARefusedQueueStopsTheQueueWithItsReason) {
    const std::string answers[] = {"\x01queue is disabled\n", "\x03queue is disabled\n", "queue is disabled\n",
                                   "\x09queue is disabled\n"};
    for (const std::string& answer : answers) {
        FakeRip rip([&](RipSide& side) {
            side.read_line();
            side.write(answer);
            side.read_to_end();
        });
        const SendResult result = send_to(rip, make_plan(10'000));
        EXPECT_EQ(result.outcome, Outcome::not_started);
        EXPECT_EQ(result.sent_bytes, 0U);
        EXPECT_TRUE(result.stop_queue);
        EXPECT_TRUE(contains(result.text, "queue 'plates'"));
        EXPECT_TRUE(contains(result.text, ": queue is disabled;"));
        ASSERT_EQ(result.messages.size(), 1U);
    }
}

TEST_F(LpdSender, ACloseBeforeTheDataIsNotStarted) {
    FakeRip rip([](RipSide& side) {
        take_control(side);
        side.read_line();
    });
    const SendResult result = send_to(rip, make_plan(10'000));
    EXPECT_EQ(result.outcome, Outcome::not_started) << result.text;
    EXPECT_FALSE(result.stop_queue);
    EXPECT_EQ(hook_calls, 0);
}

TEST_F(LpdSender, ARefusedDataLineIsNotStarted) {
    for (const char code : {'\x01', '\x02'}) {
        FakeRip rip([&](RipSide& side) {
            take_control(side);
            side.read_line();
            side.write(std::string(1, code));
            side.read_to_end();
        });
        const SendResult result = send_to(rip, make_plan(10'000));
        EXPECT_EQ(result.outcome, Outcome::not_started);
        EXPECT_EQ(result.stop_queue, code == '\x01');
        EXPECT_EQ(hook_calls, 0);
        EXPECT_EQ(rip.accepted(), 1U);
    }
}

TEST_F(LpdSender, TriesTheOtherOrderOnce) {
    LpdJob job;
    bool first_ended = false;
    const FakeRip::Script refuse = [&](RipSide& side) {
        side.read_line();
        side.write(ack);
        side.read_line();
        side.write("\x01");
        first_ended = side.read_to_end().empty();
    };
    FakeRip rip({refuse, [&](RipSide& side) { job = fakes::receive_lpd_job(side); }});
    const SendResult result = send_to(rip, make_plan(100'000));
    EXPECT_EQ(result.outcome, Outcome::delivered) << result.text;
    EXPECT_EQ(hook_calls, 1);
    rip.wait_received(2);
    EXPECT_TRUE(first_ended);
    EXPECT_TRUE(job.data_came_first);
    EXPECT_TRUE(job.data == expected);
}

TEST_F(LpdSender, GivesUpWhenBothOrdersAreRefused) {
    const FakeRip::Script refuse = [](RipSide& side) {
        side.read_line();
        side.write(ack);
        side.read_line();
        side.write("\x01no space\n");
        side.read_to_end();
    };
    FakeRip rip({refuse, refuse, refuse});
    const SendResult result = send_to(rip, make_plan(100'000));
    EXPECT_EQ(result.outcome, Outcome::not_started);
    EXPECT_TRUE(result.stop_queue);
    EXPECT_EQ(rip.accepted(), 2U);
    EXPECT_EQ(hook_calls, 0);
}

// Wants the data first, acknowledges them twice, and never the last file.
TEST_F(LpdSender, ALostLastAcknowledgementIsNotResent) {
    const FakeRip::Script refuse = [](RipSide& side) {
        side.read_line();
        side.write(ack);
        side.read_line();
        side.write("\x01");
        side.read_to_end();
    };
    std::string data;
    const FakeRip::Script take = [&](RipSide& side) {
        side.read_line();
        side.write(ack);
        take_data_line(side);
        data = side.read_exactly(count_ + 1);
        side.write(ack_twice);
        take_data_line(side);
        side.read_exactly(count_ + 1);
    };
    FakeRip rip({refuse, take});
    const auto plan = make_plan(100'000);
    const SendResult result = send_to(rip, plan);
    EXPECT_EQ(result.outcome, Outcome::interrupted);
    EXPECT_TRUE(contains(result.text, "completion unknown"));
    EXPECT_EQ(result.sent_bytes, plan->total_bytes());
    EXPECT_FALSE(result.stop_queue);
    rip.wait_received(2);
    EXPECT_TRUE(data == expected + ack);
    EXPECT_EQ(rip.accepted(), 2U);
}

TEST_F(LpdSender, AMissingLastAcknowledgementIsUnknownOrByChoiceDelivered) {
    for (const bool required : {true, false}) {
        settings.lpd_require_final_ack = required;
        FakeRip rip([](RipSide& side) {
            take_control(side);
            take_data_line(side);
            side.read_exactly(count_ + 1);
        });
        const auto plan = make_plan(100'000);
        const SendResult result = send_to(rip, plan);
        EXPECT_EQ(result.outcome, required ? Outcome::interrupted : Outcome::delivered);
        EXPECT_TRUE(contains(result.text, required ? "completion unknown" : "not confirmed"));
        EXPECT_EQ(result.sent_bytes, plan->total_bytes());
    }
}

TEST_F(LpdSender, AResetInsteadOfTheLastAcknowledgementIsNeverDelivered) {
    settings.lpd_require_final_ack = false;
    FakeRip rip([](RipSide& side) {
        take_control(side);
        take_data_line(side);
        side.read_exactly(1000);
        side.reset();
    });
    EXPECT_EQ(send_to(rip, make_plan(10'000)).outcome, Outcome::interrupted);
}

TEST_F(LpdSender, AnAcknowledgementThatNeverComesEndsByTime) {
    settings.stall_timeout_ms = 150;
    FakeRip at_queue([&](RipSide& side) {
        side.read_line();
        at_queue.wait_signal();
    });
    EXPECT_EQ(send_to(at_queue, make_plan(10'000)).outcome, Outcome::not_started);
    at_queue.signal();
    FakeRip at_end([&](RipSide& side) {
        take_control(side);
        take_data_line(side);
        side.read_exactly(count_ + 1);
        at_end.wait_signal();
    });
    const SendResult result = send_to(at_end, make_plan(10'000));
    EXPECT_EQ(result.outcome, Outcome::interrupted);
    EXPECT_TRUE(contains(result.text, "completion unknown"));
    at_end.signal();
}

TEST_F(LpdSender, ARefusalAfterAllDataIsInterrupted) {
    FakeRip rip([](RipSide& side) {
        take_control(side);
        take_data_line(side);
        side.read_exactly(count_ + 1);
        side.write(
            "\x03"
            "disk full\n");
        side.read_to_end();
    });
    const auto plan = make_plan(100'000);
    const SendResult result = send_to(rip, plan);
    EXPECT_EQ(result.outcome, Outcome::interrupted);
    EXPECT_EQ(result.sent_bytes, plan->total_bytes());
    EXPECT_TRUE(contains(result.text, "disk full"));
    EXPECT_TRUE(result.stop_queue);
}

TEST_F(LpdSender, ARefusalInTheMiddleStopsSending) {
    FakeRip rip([](RipSide& side) {
        take_control(side);
        take_data_line(side);
        side.read_exactly(1000);
        side.write(
            "\x02"
            "disk full\n");
        side.wait_for_end();
    });
    const auto plan = make_plan(large);
    const SendResult result = send_to(rip, plan);
    EXPECT_EQ(result.outcome, Outcome::interrupted);
    EXPECT_GT(result.sent_bytes, 0U);
    EXPECT_LT(result.sent_bytes, plan->total_bytes());
    EXPECT_TRUE(contains(result.text, "disk full"));
    EXPECT_FALSE(result.stop_queue);
}

TEST_F(LpdSender, AcknowledgementsGivenTwiceCountOnce) {
    FakeRip rip([](RipSide& side) {
        take_control(side, ack_twice);
        take_file(side, ack_twice);
        side.read_to_end();
    });
    EXPECT_EQ(send_to(rip, make_plan(100'000)).outcome, Outcome::delivered);
}

TEST_F(LpdSender, AnEarlyAcknowledgementOfDataCountsForNothing) {
    FakeRip rip([](RipSide& side) {
        take_control(side);
        take_data_line(side);
        side.read_exactly(1000);
        side.write(ack);
        side.read_exactly(count_ + 1 - 1000);
    });
    const SendResult result = send_to(rip, make_plan(large));
    EXPECT_EQ(result.outcome, Outcome::interrupted);
    EXPECT_TRUE(contains(result.text, "completion unknown"));
}

// Answers are one step ahead: what looks like the last acknowledgement was a surplus one.
TEST_F(LpdSender, ALateRefusalIsNotMissed) {
    FakeRip rip([](RipSide& side) {
        take_control(side);
        take_data_line(side);
        side.read_exactly(count_);
        side.write(ack);
        side.read_exactly(1);
        side.write(
            "\x03"
            "no film\n");
        side.read_to_end();
    });
    const SendResult result = send_to(rip, make_plan(100'000));
    EXPECT_EQ(result.outcome, Outcome::interrupted) << result.text;
    EXPECT_TRUE(contains(result.text, "no film"));
}

TEST_F(LpdSender, AResetInTheMiddleIsInterrupted) {
    FakeRip rip([](RipSide& side) {
        take_control(side);
        take_data_line(side);
        side.read_exactly(200'000);
        side.reset();
    });
    const SendResult result = send_to(rip, make_plan(large));
    EXPECT_EQ(result.outcome, Outcome::interrupted);
    EXPECT_GE(result.sent_bytes, 200'000U);
    EXPECT_TRUE(contains(result.text, "connection lost after"));
}

TEST_F(LpdSender, StopEndsTheWaitForAnAcknowledgement) {
    FakeRip rip([&](RipSide& side) {
        side.read_line();
        stop_soon();
        side.read_to_end();
    });
    const SendResult result = send_to(rip, make_plan(10'000));
    EXPECT_EQ(result.outcome, Outcome::canceled);
    EXPECT_EQ(result.sent_bytes, 0U);
    EXPECT_EQ(rip.accepted(), 1U);
}

TEST_F(LpdSender, ASourceChangedWhileSendingLeavesTheFileUnfinished) {
    bool saw_reset = false;
    FakeRip rip([&](RipSide& side) {
        take_control(side);
        take_data_line(side);
        side.read_to_end();
        saw_reset = side.ended_by_reset;
    });
    in_hook = [&] { append_to_image(); };
    const SendResult result = send_to(rip, make_plan(10'000));
    EXPECT_EQ(result.outcome, Outcome::source_failed);
    EXPECT_TRUE(contains(result.text, "the RIP got a mixture"));
    rip.wait_received(1);
    EXPECT_TRUE(saw_reset);
}

TEST_F(LpdSender, RefusedIsNotStarted) {
    settings.uri = "lpd://127.0.0.1:" + std::to_string(FakeRip::closed_port()) + "/plates";
    EXPECT_EQ(send(make_plan(10'000)).outcome, Outcome::not_started);
}

}  // namespace
}  // namespace opispool::rip_out
