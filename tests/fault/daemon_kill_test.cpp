// SPDX-License-Identifier: AGPL-3.0-or-later
// kill -9 while a document arrives, while it is planned, while it is sent; then a restart. Every acknowledged job is
// there once, and none is printed twice unless a person says so.
#include <gtest/gtest.h>

#include <map>

#include "tests/fakes/fake_rip.h"
#include "tests/fault/daemon_process.h"
#include "tests/spooler/daemon_fixture.h"

namespace opispool {
namespace {

using namespace std::string_literals;
using fakes::FakeRip;
using fakes::RipSide;
using spooler::Client;
using spooler::TempFolder;

const std::string ok(1, '\0');

std::string document(const std::string& name) {
    return "%!PS-Adobe-3.0\n%%Title: " + name + "\n%%Page: 1 1\nshowpage\n%%EOF\n";
}

std::string conversation(const std::string& text) {
    const std::string control = "Hm\nPanna\nJjob\nldfA001m\n";
    return "\2q\n\2" + std::to_string(control.size()) + " cfA001m\n" + control + ok + "\3" +
           std::to_string(text.size()) + " dfA001m\n" + text + ok;
}

// returns  the last acknowledgement came
bool print(std::uint16_t port, const std::string& text) {
    Client client(port);
    client.send(conversation(text));
    return client.read(5) == std::string(5, '\0');
}

std::string list(std::uint16_t port) {
    Client client(port);
    client.send("\3q\n");
    return client.read_to_end();
}

const FakeRip::Script take_all = [](RipSide& rip) { rip.read_to_end(); };
std::string switched_off() {
    return "socket://127.0.0.1:" + std::to_string(FakeRip::closed_port());
}

TEST(KillDaemon, DuringIntakeLosesNothingAcknowledged) {
    const TempFolder folder;
    const std::string first = document("first"), second = document("second");
    {
        DaemonProcess daemon(folder.path(), switched_off());
        ASSERT_TRUE(print(daemon.lpd(), first));
        // Everything but the last byte: not acknowledged, so it must not be there afterwards.
        const std::string all = conversation(second);
        Client half(daemon.lpd());
        half.send(all.substr(0, all.size() - 1));
        ASSERT_EQ(half.read(4), std::string(4, '\0'));
        daemon.kill();
    }
    FakeRip rip({take_all, take_all});
    DaemonProcess daemon(folder.path(), rip.socket_uri());
    daemon.wait_line("job.printed");
    EXPECT_EQ(rip.wait_received(1)[0], first);
    EXPECT_EQ(list(daemon.lpd()), "no entries\n");
    EXPECT_TRUE(spooler::list_folder(folder.path() + "/spool/tmp").empty());
    EXPECT_EQ(daemon.stop(), 0);
    EXPECT_EQ(rip.accepted(), 1U);
}

TEST(KillDaemon, DuringPlanningStartsAgain) {
    const TempFolder folder;
    const std::string text = document("planned");
    {
        DaemonProcess daemon(folder.path(), switched_off());
        ASSERT_TRUE(print(daemon.lpd(), text));
        daemon.wait_line("job.started");
        daemon.kill();
    }
    FakeRip rip({take_all, take_all});
    DaemonProcess daemon(folder.path(), rip.socket_uri());
    daemon.wait_line("job.printed");
    EXPECT_EQ(rip.wait_received(1)[0], text);
    EXPECT_EQ(daemon.stop(), 0);
    EXPECT_EQ(rip.accepted(), 1U);
}

TEST(KillDaemon, DuringSendingHoldsTheJob) {
    const TempFolder folder;
    std::string large = "%!PS-Adobe-3.0\n";
    while (large.size() < 24U << 20U) large += "% " + std::to_string(large.size()) + std::string(8000, '.') + "\n";
    large += "%%EOF\n";
    {
        FakeRip rip([&rip](RipSide& side) {
            side.read_exactly(100'000);
            rip.signal();
            side.wait_for_end();
        });
        DaemonProcess daemon(folder.path(), rip.socket_uri());
        ASSERT_TRUE(print(daemon.lpd(), large));
        ASSERT_TRUE(rip.wait_signal());
        daemon.kill();
    }
    FakeRip rip({take_all, take_all});
    DaemonProcess daemon(folder.path(), rip.socket_uri());
    const std::string held = list(daemon.lpd());
    EXPECT_NE(held.find("hold    anna    1"), std::string::npos) << held;
    ASSERT_TRUE(print(daemon.lpd(), document("next")));
    daemon.wait_line("job.printed id=2");
    EXPECT_EQ(rip.wait_received(1)[0], document("next")) << "the interrupted job is not sent by itself";
    EXPECT_EQ(daemon.stop(), 0);
    EXPECT_EQ(rip.accepted(), 1U);
}

TEST(KillDaemon, AgainAndAgainKeepsCount) {
    const TempFolder folder;
    constexpr int rounds = 6;
    FakeRip rip(std::vector<FakeRip::Script>(200, take_all));
    std::vector<std::string> acknowledged;
    for (int round = 0; round < rounds; ++round) {
        DaemonProcess daemon(folder.path(), rip.socket_uri());
        // Killed the moment the last acknowledgement comes: the jobs before it are anywhere on their way.
        for (int job = 0; job <= round; ++job) {
            const std::string text = document(std::to_string(round) + "." + std::to_string(job));
            if (print(daemon.lpd(), text)) acknowledged.push_back(text);
        }
        daemon.kill();
    }
    DaemonProcess daemon(folder.path(), rip.socket_uri());
    ASSERT_TRUE(print(daemon.lpd(), document("last")));
    const std::string last_id = std::to_string(acknowledged.size() + 1);
    daemon.wait_line("job.printed id=" + last_id + " ");
    const std::string held = list(daemon.lpd());
    EXPECT_EQ(daemon.stop(), 0);

    std::map<std::string, int> printed;
    for (const std::string& text : rip.wait_received(rip.accepted())) ++printed[text];
    std::size_t held_jobs = 0;
    for (std::size_t at = 0; (at = held.find("\nhold ", at)) != std::string::npos; ++at) ++held_jobs;
    std::size_t missing = 0;
    for (const std::string& text : acknowledged) {
        EXPECT_LE(printed[text], 1) << "printed twice: " << text;
        missing += printed[text] == 0 ? 1 : 0;
    }
    // What did not reach the RIP whole is held; what is held may have reached it.
    EXPECT_LE(missing, held_jobs) << held;
}

TEST(KillDaemon, StopsInOrderOnSigterm) {
    const TempFolder folder;
    DaemonProcess daemon(folder.path(), switched_off());
    ASSERT_TRUE(print(daemon.lpd(), document("waits")));
    EXPECT_EQ(daemon.stop(), 0);
}

}  // namespace
}  // namespace opispool
