// SPDX-License-Identifier: AGPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/rip_out/sender_fixture.h"

namespace opispool::rip_out {
namespace {

using fakes::FakeRip;
using fakes::RipSide;

constexpr std::size_t large = 24U << 20U;  // more than both kernels buffer
constexpr std::string_view error_line = "%%[ Error: undefined; OffendingCommand: foo ]%%\r\n";

class SocketSender : public SenderTest {
  protected:
    SendResult send_to(FakeRip& rip, const std::shared_ptr<const opi::SplicePlan>& plan) {
        settings.uri = rip.socket_uri();
        return send(plan);
    }
};

TEST_F(SocketSender, DeliversEveryByte) {
    FakeRip rip([](RipSide& side) {
        side.write("%%[ job: cover; status: busy; source: x ]%%\r\n");
        side.read_to_end();
    });
    const auto plan = make_plan(3'000'000);
    const SendResult result = send_to(rip, plan);
    EXPECT_EQ(result.outcome, Outcome::delivered) << result.text;
    EXPECT_EQ(result.sent_bytes, plan->total_bytes());
    EXPECT_EQ(hook_calls, 1);
    EXPECT_GT(last_progress, 0U);
    EXPECT_TRUE(rip.wait_received(1)[0] == expected);
    ASSERT_EQ(result.messages.size(), 1U);
    EXPECT_EQ(result.messages[0].kind, RipMessage::Kind::status);
    EXPECT_FALSE(result.stop_queue);
}

TEST_F(SocketSender, TriesEveryAddressOfAName) {
    FakeRip rip([](RipSide& side) { side.read_to_end(); });
    settings.uri = "socket://localhost:" + std::to_string(rip.port());
    EXPECT_EQ(send(make_text_plan("%!\n")).outcome, Outcome::delivered);
}

TEST_F(SocketSender, FeedsASlowReader) {
    FakeRip rip([](RipSide& side) {
        side.limit_buffer(100'000);
        while (side.received.size() < 4096) side.read_exactly(1);
        side.read_to_end();
    });
    EXPECT_EQ(send_to(rip, make_plan(2'000'000)).outcome, Outcome::delivered);
    EXPECT_TRUE(rip.wait_received(1)[0] == expected);
}

TEST_F(SocketSender, ReadsARipThatTalksBeforeItReads) {
    FakeRip rip([](RipSide& side) {
        std::string lines;
        for (int i = 0; i < 2000; ++i) lines += "%%[ status: busy; source: x ]%%\r\n";
        for (int i = 0; i < 256; ++i) side.write(lines);
        side.read_exactly(100);
        side.half_close();
        side.read_to_end();
    });
    const SendResult result = send_to(rip, make_plan(large));
    EXPECT_EQ(result.outcome, Outcome::delivered) << result.text;
    EXPECT_TRUE(rip.wait_received(1)[0] == expected);
    EXPECT_LE(result.messages.size(), 2U);
}

TEST_F(SocketSender, StopsAtAPostScriptError) {
    FakeRip rip([](RipSide& side) {
        side.read_exactly(1000);
        side.write(error_line);
        side.wait_for_end();
    });
    const auto plan = make_plan(large);
    const SendResult result = send_to(rip, plan);
    EXPECT_EQ(result.outcome, Outcome::rip_error);
    EXPECT_TRUE(contains(result.text, "undefined in foo"));
    EXPECT_TRUE(contains(result.text, "inside image 'car.tif' on page 2"));
    EXPECT_GT(result.sent_bytes, 0U);
    EXPECT_LT(result.sent_bytes, plan->total_bytes());
    ASSERT_EQ(result.messages.size(), 1U);
    EXPECT_EQ(result.messages[0].error_name, "undefined");
}

TEST_F(SocketSender, AnErrorAfterTheLastByteFailsTheJob) {
    FakeRip rip([](RipSide& side) {
        side.read_to_end();
        side.write("%%[ Error: ioerror; OffendingCommand: image ]");  // and not even a line end
    });
    const auto plan = make_plan(10'000);
    const SendResult result = send_to(rip, plan);
    EXPECT_EQ(result.outcome, Outcome::rip_error);
    EXPECT_EQ(result.sent_bytes, plan->total_bytes());
    EXPECT_TRUE(contains(result.text, "ioerror in image"));
    EXPECT_TRUE(rip.wait_received(1)[0] == expected);
}

TEST_F(SocketSender, FlushingAloneFailsTheJob) {
    FakeRip rip([](RipSide& side) {
        side.read_to_end();
        side.write("%%[ Flushing: rest of job (to end-of-file) will be ignored ]%%\n");
    });
    EXPECT_EQ(send_to(rip, make_plan(10'000)).outcome, Outcome::rip_error);
}

TEST_F(SocketSender, APrinterErrorIsOnlyAMessage) {
    FakeRip rip([](RipSide& side) {
        side.read_exactly(1000);
        side.write("%%[ PrinterError: out of film ]%%\n");
        side.read_to_end();
    });
    const SendResult result = send_to(rip, make_plan(1'000'000));
    EXPECT_EQ(result.outcome, Outcome::delivered);
    ASSERT_EQ(result.messages.size(), 1U);
    EXPECT_EQ(result.messages[0].kind, RipMessage::Kind::printer_error);
}

TEST_F(SocketSender, AResetAfterSomeBytesIsInterrupted) {
    FakeRip rip([](RipSide& side) {
        side.read_exactly(200'000);
        side.reset();
    });
    const auto plan = make_plan(large);
    const SendResult result = send_to(rip, plan);
    EXPECT_EQ(result.outcome, Outcome::interrupted);
    EXPECT_GE(result.sent_bytes, 200'000U);
    EXPECT_LT(result.sent_bytes, plan->total_bytes());
    EXPECT_TRUE(contains(result.text, "connection lost after " + std::to_string(result.sent_bytes) + " of " +
                                          std::to_string(plan->total_bytes()) + " bytes"));
    EXPECT_TRUE(contains(result.text, "may have printed part of it"));
}

TEST_F(SocketSender, AResetBeforeTheFirstByteIsNotStarted) {
    FakeRip rip([&](RipSide& side) {
        rip.wait_signal();
        side.reset();
    });
    in_hook = [&] {
        rip.signal();
        rip.wait_received(1);
    };
    const SendResult result = send_to(rip, make_plan(10'000));
    EXPECT_EQ(result.outcome, Outcome::not_started) << result.text;
    EXPECT_EQ(result.sent_bytes, 0U);
    EXPECT_EQ(hook_calls, 1);
}

// The whole job fits into the kernel's buffers, and an end of file is all that is ever read: still not delivered.
TEST_F(SocketSender, ACloseWithBytesOnTheWayIsInterrupted) {
    FakeRip rip([&](RipSide& side) {
        rip.wait_signal();
        side.close();
    });
    in_hook = [&] {
        rip.signal();
        rip.wait_received(1);
    };
    const auto plan = make_plan(10'000);
    const SendResult result = send_to(rip, plan);
    EXPECT_EQ(result.outcome, Outcome::interrupted) << result.text;
    EXPECT_TRUE(contains(result.text, "check before sending again"));
}

TEST_F(SocketSender, RefusedIsNotStarted) {
    settings.uri = "socket://127.0.0.1:" + std::to_string(FakeRip::closed_port());
    const SendResult result = send(make_plan(10'000));
    EXPECT_EQ(result.outcome, Outcome::not_started);
    EXPECT_EQ(result.sent_bytes, 0U);
    EXPECT_EQ(hook_calls, 0);
    EXPECT_FALSE(result.stop_queue);
    EXPECT_TRUE(contains(result.text, "no connection to 127.0.0.1:"));
}

TEST_F(SocketSender, AReaderThatClosedItsSendingSideGetsAll) {
    FakeRip rip([](RipSide& side) {
        side.half_close();
        side.read_to_end();
    });
    EXPECT_EQ(send_to(rip, make_plan(large)).outcome, Outcome::delivered);
    EXPECT_TRUE(rip.wait_received(1)[0] == expected);
}

TEST_F(SocketSender, ARipThatNeverClosesIsDeliveredWithANote) {
    settings.end_timeout_ms = 150;
    FakeRip rip([&](RipSide& side) {
        side.read_to_end();
        rip.wait_signal();
    });
    const SendResult result = send_to(rip, make_plan(100'000));
    EXPECT_EQ(result.outcome, Outcome::delivered);
    EXPECT_TRUE(contains(result.text, "did not close"));
    rip.signal();
    EXPECT_TRUE(rip.wait_received(1)[0] == expected);
}

TEST_F(SocketSender, DoesNotWaitForTheCloseWhenToldNotTo) {
    settings.wait_for_close = false;
    FakeRip rip([&](RipSide& side) {
        side.read_to_end();
        rip.wait_signal();
    });
    const SendResult result = send_to(rip, make_plan(100'000));
    EXPECT_EQ(result.outcome, Outcome::delivered);
    EXPECT_FALSE(contains(result.text, "did not close"));
    rip.signal();
}

TEST_F(SocketSender, AStallIsInterrupted) {
    settings.stall_timeout_ms = 200;
    FakeRip rip([](RipSide& side) { side.wait_for_end(); });
    const auto plan = make_plan(large);
    const SendResult result = send_to(rip, plan);
    EXPECT_EQ(result.outcome, Outcome::interrupted);
    EXPECT_GT(result.sent_bytes, 0U);
    EXPECT_LT(result.sent_bytes, plan->total_bytes());
    EXPECT_TRUE(contains(result.text, "stopped taking data after"));
    rip.wait_received(1);
}

// All bytes are in our kernel, the RIP's is full: not delivered.
TEST_F(SocketSender, AStallInTheLastBytesIsInterrupted) {
    settings.end_timeout_ms = 200;
    FakeRip rip([](RipSide& side) {
        side.limit_buffer(1);
        side.wait_for_end();
    });
    std::string text(400'000, 'x');
    const SendResult result = send_to(rip, make_text_plan(text));
    EXPECT_EQ(result.outcome, Outcome::interrupted) << result.text;
    EXPECT_TRUE(contains(result.text, "stopped taking data"));
}

TEST_F(SocketSender, StopEndsATransferSoThatTheRipSeesIt) {
    bool saw_reset = false;
    FakeRip rip([&](RipSide& side) {
        side.read_exactly(1000);
        stop_soon();
        side.read_to_end();
        saw_reset = side.ended_by_reset;
    });
    const auto plan = make_plan(large);
    const SendResult result = send_to(rip, plan);
    EXPECT_EQ(result.outcome, Outcome::canceled);
    EXPECT_LT(result.sent_bytes, plan->total_bytes());
    EXPECT_TRUE(contains(result.text, "may print part of it"));
    rip.wait_received(1);
    EXPECT_TRUE(saw_reset);
}

TEST_F(SocketSender, StopEndsTheWaitForTheClose) {
    FakeRip rip([&](RipSide& side) {
        side.read_to_end();
        stop_soon();
        rip.wait_signal();
    });
    const SendResult result = send_to(rip, make_plan(100'000));
    EXPECT_EQ(result.outcome, Outcome::canceled);
    EXPECT_TRUE(contains(result.text, "after the whole job was sent"));
    rip.signal();
}

TEST_F(SocketSender, NothingLeavesWhenTheHookSaysNo) {
    hook_answer = false;
    FakeRip rip([](RipSide& side) { side.read_to_end(); });
    const SendResult result = send_to(rip, make_plan(10'000));
    EXPECT_EQ(result.outcome, Outcome::canceled);
    EXPECT_EQ(result.sent_bytes, 0U);
    EXPECT_EQ(rip.wait_received(1)[0], "");
}

TEST_F(SocketSender, AChangedSourceIsFoundBeforeConnecting) {
    FakeRip rip([](RipSide& side) { side.read_to_end(); });
    const auto plan = make_plan(10'000);
    append_to_image();
    const SendResult result = send_to(rip, plan);
    EXPECT_EQ(result.outcome, Outcome::source_failed);
    EXPECT_TRUE(contains(result.text, "car.tif was changed after the job was prepared"));
    EXPECT_EQ(result.sent_bytes, 0U);
    EXPECT_EQ(rip.accepted(), 0U);
    EXPECT_EQ(hook_calls, 0);
}

TEST_F(SocketSender, ASourceChangedWhileSendingFailsTheJob) {
    bool saw_reset = false;
    FakeRip rip([&](RipSide& side) {
        side.read_to_end();
        saw_reset = side.ended_by_reset;
    });
    in_hook = [&] { append_to_image(); };
    const auto plan = make_plan(10'000);
    const SendResult result = send_to(rip, plan);
    EXPECT_EQ(result.outcome, Outcome::source_failed);
    EXPECT_EQ(result.sent_bytes, plan->total_bytes());
    EXPECT_TRUE(contains(result.text, "car.tif was changed while it was being sent; the RIP got a mixture"));
    rip.wait_received(1);
    EXPECT_TRUE(saw_reset);
}

TEST_F(SocketSender, ASourceCutWhileSendingFailsTheJob) {
    bool saw_reset = false;
    FakeRip rip([&](RipSide& side) {
        side.read_exactly(1000);
        truncate_image();
        side.read_to_end();
        saw_reset = side.ended_by_reset;
    });
    const SendResult result = send_to(rip, make_plan(large));
    EXPECT_EQ(result.outcome, Outcome::source_failed) << result.text;
    EXPECT_TRUE(contains(result.text, "car.tif was changed while it was being sent"));
    rip.wait_received(1);
    EXPECT_TRUE(saw_reset);
}

TEST_F(SocketSender, AnEncoderThatFailsFailsTheJob) {
    encoder_fails_at = 100'000;
    bool saw_reset = false;
    FakeRip rip([&](RipSide& side) {
        side.read_to_end();
        saw_reset = side.ended_by_reset;
    });
    const SendResult result = send_to(rip, make_plan(1'000'000));
    EXPECT_EQ(result.outcome, Outcome::source_failed);
    EXPECT_TRUE(contains(result.text, "car.tif could not be read: strip 3 is damaged"));
    rip.wait_received(1);
    EXPECT_TRUE(saw_reset);
}

TEST_F(SocketSender, AppendsCtrlDOnlyWhenAsked) {
    settings.send_ctrl_d = true;
    FakeRip rip([](RipSide& side) { side.read_to_end(); });
    const SendResult result = send_to(rip, make_text_plan("%!PS\n"));
    EXPECT_EQ(result.outcome, Outcome::delivered);
    EXPECT_EQ(result.sent_bytes, 5U);
    EXPECT_EQ(rip.wait_received(1)[0], "%!PS\n\x04");
}

TEST_F(SocketSender, AnEmptyJobIsNotSent) {
    FakeRip rip([](RipSide& side) { side.read_to_end(); });
    EXPECT_EQ(send_to(rip, make_text_plan("")).outcome, Outcome::source_failed);
    EXPECT_EQ(rip.accepted(), 0U);
}

TEST_F(SocketSender, AnUnusableUriIsAConfigurationError) {
    settings.uri = "ftp://rip/";
    boost::asio::io_context loop;
    const auto sender = make_sender(settings, loop.get_executor(), loop.get_executor());
    ASSERT_FALSE(sender);
    EXPECT_EQ(sender.error().operation, Operation::configure);
}

}  // namespace
}  // namespace opispool::rip_out
