// SPDX-License-Identifier: AGPL-3.0-or-later
// Queue option early_start: the RIP has the first pages while the client still sends the others, and never more than
// that of a document that does not come to its end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/fakes/fake_rip.h"
#include "tests/spooler/daemon_fixture.h"

namespace opispool::spooler {
namespace {

using namespace std::string_literals;
using fakes::FakeRip;
using fakes::RipSide;
using queues::Event;
using queues::JobState;
using ::testing::HasSubstr;

std::string page(int ordinal, std::size_t bytes, const std::string& body = "") {
    std::string text = "%%Page: " + std::to_string(ordinal) + " " + std::to_string(ordinal) + "\n" + body;
    while (bytes > 0 && text.size() < bytes) text += "10 " + std::to_string(text.size()) + " moveto\n";
    return text + "showpage\n";
}

const std::string header = "%!PS-Adobe-3.0\n%%Title: (cover)\n%%EndComments\n";
const std::string trailer = "%%Trailer\n%%EOF\n";
const std::string lost =
    "%ALDImageFileName: (lost.tif)\n%ALDImageDimensions: 10 10\n%ALDImageCropRect: 0 0 10 10\n"
    "%ALDImagePosition: 0 0 0 10 10 10 10 0\n%%BeginObject: image\n%%EndObject\n";

class EarlyStart : public ::testing::Test {
  protected:
    Config config(const std::string& rip) const {
        Config config = TestDaemon::config(folder_.path() + "/spool", rip);
        config.queues[0].early_start = true;
        return config;
    }
    // Reads the document's beginning and tells that it has it, then the rest.
    FakeRip::Script tells_beginning(std::size_t bytes) {
        return [this, bytes](RipSide& side) {
            side.read_exactly(bytes);
            rip_->signal();
            side.read_to_end();
            reset_ = side.ended_by_reset;
        };
    }
    void start(const FakeRip::Script& script) {
        rip_ =
            std::make_unique<FakeRip>(std::vector<FakeRip::Script>{script, [](RipSide& side) { side.read_to_end(); }});
    }

    const TempFolder folder_;
    std::unique_ptr<FakeRip> rip_;
    bool reset_ = false;
};

// What the RIP must have before the second page has ended.
const std::string first = header + page(1, 300'000);
const std::string second = page(2, 500'000);

TEST_F(EarlyStart, TheRipHasTheFirstPageBeforeTheSecondHasEndedBySocket) {
    start(tells_beginning(first.size()));
    TestDaemon daemon(config(rip_->socket_uri()), true);
    Client client(daemon.socket());
    client.send(first + second.substr(0, 400'000));
    ASSERT_TRUE(rip_->wait_signal());
    client.send(second.substr(400'000) + trailer);
    client.half_close();
    client.read_to_end();
    const auto printed = daemon.wait_for(Event::delivered).job;
    EXPECT_TRUE(rip_->wait_received(1)[0] == first + second + trailer);
    EXPECT_EQ(printed.title, "cover");
    EXPECT_EQ(printed.size_bytes, (first + second + trailer).size());
    EXPECT_EQ(printed.sent_bytes, printed.size_bytes);
    EXPECT_TRUE(daemon.document(printed) == first + second + trailer);
}

std::string lpd_beginning(const std::string& document) {
    const std::string control = "Hm\nPanna\nJjob\nldfA001m\n";
    return "\2q\n\2" + std::to_string(control.size()) + " cfA001m\n" + control + "\0\3"s +
           std::to_string(document.size()) + " dfA001m\n";
}

TEST_F(EarlyStart, TheRipHasTheFirstPageBeforeTheSecondHasEndedByLpd) {
    start(tells_beginning(first.size()));
    TestDaemon daemon(config(rip_->socket_uri()), true);
    const std::string document = first + second + trailer;
    Client client(daemon.lpd());
    client.send(lpd_beginning(document) + document.substr(0, first.size() + 400'000));
    ASSERT_EQ(client.read(4), std::string(4, '\0'));
    ASSERT_TRUE(rip_->wait_signal());
    client.send(document.substr(first.size() + 400'000) + "\0"s);
    EXPECT_EQ(client.read(1), "\0"s);
    client.close();
    const auto printed = daemon.wait_for(Event::delivered).job;
    EXPECT_TRUE(rip_->wait_received(1)[0] == document);
    EXPECT_EQ(printed.user, "anna");
    EXPECT_TRUE(daemon.document(printed) == document);
}

TEST_F(EarlyStart, AnUploadThatBreaksResetsTheRipAndIsHeldInDoubt) {
    start(tells_beginning(first.size()));
    TestDaemon daemon(config(rip_->socket_uri()), true);
    Client client(daemon.socket());
    client.send(first + second.substr(0, 400'000));
    ASSERT_TRUE(rip_->wait_signal());
    client.reset();
    const auto held = daemon.wait_for(Event::problem).job;
    EXPECT_EQ(held.state, JobState::pending_held);
    EXPECT_THAT(held.reason, HasSubstr("in doubt"));
    EXPECT_THAT(held.reason, HasSubstr("the RIP may print"));
    EXPECT_TRUE(rip_->wait_received(1)[0] == first);
    EXPECT_TRUE(reset_);
    EXPECT_EQ(daemon.unfinished().size(), 1U);
}

TEST_F(EarlyStart, AShortLpdFileIsRefusedAndHeldInDoubt) {
    start(tells_beginning(first.size()));
    TestDaemon daemon(config(rip_->socket_uri()));
    const std::string document = first + second + trailer;
    Client client(daemon.lpd());
    client.send(lpd_beginning(document) + document.substr(0, document.size() - 1000));
    ASSERT_TRUE(rip_->wait_signal());
    client.half_close();
    const std::string answers = client.read_to_end();
    ASSERT_EQ(answers.size(), 5U);
    EXPECT_NE(answers[4], '\0');
    EXPECT_THAT(daemon.wait_for(Event::problem).job.reason, HasSubstr("in doubt"));
    EXPECT_TRUE(rip_->wait_received(1)[0] == first);
    EXPECT_TRUE(reset_);
}

TEST_F(EarlyStart, ADocumentThatLooksCutOffNeverGetsToItsEnd) {
    start(tells_beginning(first.size()));
    TestDaemon daemon(config(rip_->socket_uri()));
    Client client(daemon.socket());
    client.send(first + second.substr(0, 400'000));
    ASSERT_TRUE(rip_->wait_signal());
    client.send(second.substr(400'000) + "(an open string");
    client.half_close();
    client.read_to_end();
    EXPECT_THAT(daemon.wait_for(Event::problem).job.reason, HasSubstr("in doubt"));
    rip_->wait_received(1);
    EXPECT_TRUE(reset_);
}

TEST_F(EarlyStart, AMissingPictureOnALaterPageHoldsTheJobAndSaysWhatWasSent) {
    std::filesystem::create_directory(folder_.path() + "/store");
    start(tells_beginning(first.size()));
    Config config = this->config(rip_->socket_uri());
    config.queues[0].store_paths = {folder_.path() + "/store"};
    TestDaemon daemon(std::move(config));
    Client client(daemon.socket());
    client.send(first + page(2, 500'000, lost));
    ASSERT_TRUE(rip_->wait_signal());
    client.send(page(3, 500'000) + trailer);
    client.half_close();
    client.read_to_end();
    const auto held = daemon.wait_for(Event::problem).job;
    EXPECT_THAT(held.reason, HasSubstr("lost.tif"));
    EXPECT_THAT(held.reason, HasSubstr("check before sending again"));
    rip_->wait_received(1);
    EXPECT_TRUE(reset_);
    // The document is complete all the same: the client was told so, and it can be printed again.
    daemon.wait_for(Event::arrived);
}

TEST_F(EarlyStart, StopAndHoldEndsWaitingForTheClient) {
    start(tells_beginning(first.size()));
    TestDaemon daemon(config(rip_->socket_uri()));
    Client client(daemon.socket());
    client.send(first + second.substr(0, 400'000));
    ASSERT_TRUE(rip_->wait_signal());
    const auto id = daemon.changes().front().job.id;
    daemon.on_loop([&](queues::QueueService& queues) { queues.stop_and_hold(id, "anna", [](const auto&) {}); });
    daemon.wait_for(Event::stop_and_hold);
    rip_->wait_received(1);
    EXPECT_TRUE(reset_);
    client.send(second.substr(400'000) + trailer);
    client.half_close();
    client.read_to_end();
    const auto arrived = daemon.wait_for(Event::arrived).job;
    EXPECT_EQ(arrived.state, JobState::pending_held);
    daemon.on_loop([&](queues::QueueService& queues) { queues.release(id, "anna", [](const auto&) {}); });
    daemon.wait_for(Event::delivered);
    EXPECT_TRUE(rip_->wait_received(2)[1] == first + second + trailer);
}

TEST_F(EarlyStart, AJobThatWaitsForItsTurnIsPrintedWhole) {
    start([](RipSide& side) { side.read_to_end(); });
    Config config = this->config(rip_->socket_uri());
    config.queues[0].paused = true;
    TestDaemon daemon(std::move(config));
    Client client(daemon.socket());
    client.send(first + second + trailer);
    client.half_close();
    client.read_to_end();
    daemon.wait_for(Event::arrived);
    daemon.on_loop([](queues::QueueService& queues) {
        queues.set_switch("q", queues::QueueWord::paused, false, "anna", [](const auto&) {});
    });
    daemon.wait_for(Event::delivered);
    EXPECT_TRUE(rip_->wait_received(1)[0] == first + second + trailer);
}

TEST_F(EarlyStart, AfterARestartTheJobIsHeldInDoubt) {
    start(tells_beginning(first.size()));
    const Config config = this->config(rip_->socket_uri());
    {
        TestDaemon daemon(config, true);
        Client client(daemon.socket());
        client.send(first + second.substr(0, 400'000));
        ASSERT_TRUE(rip_->wait_signal());
        daemon.stop();
    }
    TestDaemon daemon(config, true);
    const auto jobs = daemon.unfinished();
    ASSERT_EQ(jobs.size(), 1U);
    EXPECT_EQ(jobs[0].state, JobState::pending_held);
    EXPECT_THAT(jobs[0].reason, HasSubstr("in doubt"));
    EXPECT_GT(jobs[0].size_bytes, first.size());
}

}  // namespace
}  // namespace opispool::spooler
