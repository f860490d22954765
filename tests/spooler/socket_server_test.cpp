// SPDX-License-Identifier: AGPL-3.0-or-later
#include <gtest/gtest.h>

#include "tests/spooler/daemon_fixture.h"

namespace opispool::spooler {
namespace {

using namespace std::string_literals;
using queues::JobState;

const std::string ps = "%!PS-Adobe-3.0\nshowpage\n%%EOF\n";

class SocketServerTest : public testing::Test {
  protected:
    SocketServerTest() : SocketServerTest(300'000) {}
    explicit SocketServerTest(std::int64_t idle_timeout_ms) {
        Config config = TestDaemon::config(folder_.path());
        config.intake.idle_timeout_ms = idle_timeout_ms;
        daemon_ = std::make_unique<TestDaemon>(std::move(config));
    }
    // Sends, ends the sending side and waits for the server's close.
    void print(const std::string& text) {
        Client client(daemon_->socket());
        client.send(text);
        client.half_close();
        client.read_to_end();
    }
    TempFolder folder_;
    std::unique_ptr<TestDaemon> daemon_;
};

TEST_F(SocketServerTest, TakesADocument) {
    print(ps);
    const auto jobs = daemon_->unfinished();
    ASSERT_EQ(jobs.size(), 1U) << "the close says that the job is in the store";
    EXPECT_EQ(jobs[0].state, JobState::pending);
    EXPECT_EQ(jobs[0].door, "socket");
    EXPECT_EQ(jobs[0].host, "127.0.0.1");
    EXPECT_EQ(jobs[0].title, "AppSocket job");
    EXPECT_EQ(jobs[0].user, "unknown");
    EXPECT_EQ(daemon_->document(jobs[0]), ps);
}

TEST_F(SocketServerTest, AsksTheDocumentForItsTitle) {
    print("%!PS-Adobe-3.0\n%%For: anna\n%%Title: (Spring cover)\n%%EndComments\nshowpage\n%%EOF\n");
    const auto jobs = daemon_->unfinished();
    ASSERT_EQ(jobs.size(), 1U);
    EXPECT_EQ(jobs[0].title, "Spring cover");
    EXPECT_EQ(jobs[0].user, "anna");
}

TEST_F(SocketServerTest, KeepsEveryByteOfTheEnvelope) {
    std::string binary = "%!PS-Adobe-3.0\r%%BeginData: 256 Binary Bytes\r";
    for (int byte = 0; byte < 256; ++byte) binary += static_cast<char>(byte);
    binary += "\r%%EndData\r%%EOF\r";
    const std::vector<std::string> texts{
        "\4" + ps + "\4",
        "\x1b%-12345X@PJL JOB\n@PJL ENTER LANGUAGE=POSTSCRIPT\n" + ps + "\x1b%-12345X@PJL EOJ\n\x1b%-12345X", binary,
        "%!\nshowpage\n"};
    for (const std::string& text : texts) print(text);
    const auto jobs = daemon_->unfinished();
    ASSERT_EQ(jobs.size(), texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
        EXPECT_EQ(jobs[i].state, JobState::pending) << jobs[i].reason;
        EXPECT_TRUE(daemon_->document(jobs[i]) == texts[i]) << i;
    }
}

TEST_F(SocketServerTest, TakesALargeDocument) {
    std::string large = "%!PS-Adobe-3.0\n";
    while (large.size() < 5U << 20U) large += std::to_string(large.size()) + std::string(500, ' ') + "pop\n";
    large += "%%EOF\n";
    print(large);
    const auto jobs = daemon_->unfinished();
    ASSERT_EQ(jobs.size(), 1U);
    EXPECT_TRUE(daemon_->document(jobs[0]) == large);
}

TEST_F(SocketServerTest, RefusesWhatIsNoDocument) {
    for (const std::string& text :
         {"GET / HTTP/1.1\r\nHost: x\r\n\r\n"s, "\x16\x03\x01\0\x2f\1"s, std::string(30, '\0'), ""s, "\4"s, "\r\n"s})
        print(text);
    EXPECT_TRUE(daemon_->unfinished().empty());
    EXPECT_TRUE(list_folder(folder_.path() + "/jobs").empty());
    EXPECT_TRUE(list_folder(folder_.path() + "/tmp").empty());
}

TEST_F(SocketServerTest, HoldsWhatIsCutOff) {
    print("%!PS-Adobe-3.0\nshowpa");
    print("%!PS-Adobe-3.0\n%%BeginDocument: a.eps\n%%EOF\n");
    const auto jobs = daemon_->unfinished();
    ASSERT_EQ(jobs.size(), 2U);
    for (const auto& job : jobs) {
        EXPECT_EQ(job.state, JobState::pending_held);
        EXPECT_NE(job.reason.find("possibly truncated"), std::string::npos) << job.reason;
    }
}

TEST_F(SocketServerTest, DiscardsAfterAReset) {
    {
        Client client(daemon_->socket());
        client.send(ps);
        client.reset();
    }
    daemon_->stop();
    EXPECT_TRUE(daemon_->changes().empty());
    EXPECT_TRUE(list_folder(folder_.path() + "/jobs").empty());
    EXPECT_TRUE(list_folder(folder_.path() + "/tmp").empty());
}

class SilentClient : public SocketServerTest {
  protected:
    SilentClient() : SocketServerTest(50) {}
};

TEST_F(SilentClient, IsHeldUnlessItsDocumentIsWhole) {
    Client half(daemon_->socket());
    half.send("%!PS-Adobe-3.0\nshowp");
    half.read_to_end();
    Client plain(daemon_->socket());
    plain.send("%!\nshowpage\n");
    plain.read_to_end();
    Client whole(daemon_->socket());
    whole.send(ps);
    whole.read_to_end();
    const auto jobs = daemon_->unfinished();
    ASSERT_EQ(jobs.size(), 3U);
    for (const auto& job : jobs) {
        const bool is_whole = daemon_->document(job) == ps;
        EXPECT_EQ(job.state, is_whole ? JobState::pending : JobState::pending_held) << job.reason;
    }
}

}  // namespace
}  // namespace opispool::spooler
