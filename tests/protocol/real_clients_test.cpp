// SPDX-License-Identifier: AGPL-3.0-or-later
// Clients other people wrote print through our doors: rlpr, and CUPS's lpd and socket backends run directly. A client
// that is not installed skips its tests, or fails them where the build asks for every peer.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "tests/fakes/fake_rip.h"
#include "tests/protocol/peers.h"
#include "tests/spooler/daemon_fixture.h"

namespace opispool::spooler {
namespace {

using fakes::FakeRip;
using peers::find_peer;
using peers::run;
using queues::Event;
using queues::JobState;

std::string rlpr() {
    return find_peer({"/usr/bin/rlpr"});
}

// Debian's package `cups` keeps them in backend-available and links those that are enabled.
std::string cups_backend(const std::string& name) {
    const char* folder = std::getenv("OPISPOOL_CUPS_BACKENDS");
    return find_peer({(folder != nullptr ? std::string(folder) : std::string("/usr/lib/cups/backend")) + "/" + name,
                      "/usr/lib/cups/backend/" + name, "/usr/lib/cups/backend-available/" + name});
}

class RealClients : public testing::Test {
  protected:
    RealClients()
        : rip_(std::vector<FakeRip::Script>(4, [](fakes::RipSide& side) { side.read_to_end(); })),
          daemon_(TestDaemon::config(folder_.path() + "/spool", rip_.socket_uri()), true) {
        document_ = "%!PS-Adobe-3.0\n%%Title: real\n%%Page: 1 1\n%%BeginData: 70000 Binary Bytes\n";
        for (int i = 0; i < 70000; ++i) document_ += static_cast<char>((i * 31 + i / 256) & 0xFF);
        document_ += "\n%%EndData\nshowpage\n%%EOF\n";
        file_ = folder_.path() + "/real job.ps";
        write_file(file_, document_);
    }
    void expect_printed(const std::string& door, const std::string& text) {
        const auto printed = daemon_.wait_for(Event::delivered).job;
        EXPECT_EQ(printed.door, door);
        EXPECT_EQ(printed.state, JobState::completed);
        EXPECT_TRUE(rip_.wait_received(1)[0] == text);
    }
    int print_by_cups(const std::string& backend, const std::string& uri, const std::string& copies = "1") {
        const std::vector<std::string> command{backend, "7", "anna", "Spring cover", copies, "", file_};
        const std::vector<std::string> environment{"DEVICE_URI=" + uri, "PRINTER=q",
                                                   "CONTENT_TYPE=application/postscript", "PATH=/usr/bin:/bin",
                                                   "TMPDIR=" + folder_.path()};
        return run(command, environment);
    }
    std::string lpd_uri(const std::string& options) const {
        return "lpd://127.0.0.1:" + std::to_string(daemon_.lpd()) + "/q?reserve=none" + options;
    }

    TempFolder folder_;
    FakeRip rip_;
    TestDaemon daemon_;
    std::string document_, file_;
};

TEST_F(RealClients, Rlpr) {
    const std::string client = rlpr();
    NEED_PEER(client);
    const std::string port = "--port=" + std::to_string(daemon_.lpd());
    ASSERT_EQ(run({client, "-N", "-H", "127.0.0.1", port, "-P", "q", "-J", "Spring cover", file_}), 0);
    expect_printed("lpd", document_);
}

TEST_F(RealClients, RlprSendsDataFirst) {
    const std::string client = rlpr();
    NEED_PEER(client);
    const std::string port = "--port=" + std::to_string(daemon_.lpd());
    ASSERT_EQ(run({client, "-N", "-H", "127.0.0.1", port, "--send-data-first", "-P", "q", file_}), 0);
    expect_printed("lpd", document_);
}

TEST_F(RealClients, CupsLpd) {
    const std::string backend = cups_backend("lpd");
    NEED_PEER(backend);
    ASSERT_EQ(print_by_cups(backend, lpd_uri("")), 0);
    expect_printed("lpd", document_);
    const auto changes = daemon_.changes();
    EXPECT_EQ(changes.front().job.user, "anna");
    EXPECT_EQ(changes.front().job.title, "Spring cover");
}

TEST_F(RealClients, CupsLpdDataFirst) {
    const std::string backend = cups_backend("lpd");
    NEED_PEER(backend);
    ASSERT_EQ(print_by_cups(backend, lpd_uri("&order=data,control")), 0);
    expect_printed("lpd", document_);
}

TEST_F(RealClients, CupsLpdStream) {
    const std::string backend = cups_backend("lpd");
    NEED_PEER(backend);
    ASSERT_EQ(print_by_cups(backend, lpd_uri("&mode=stream")), 0);
    expect_printed("lpd", document_);
}

TEST_F(RealClients, CupsLpdCopies) {
    const std::string backend = cups_backend("lpd");
    NEED_PEER(backend);
    ASSERT_EQ(print_by_cups(backend, lpd_uri("&manual_copies=off"), "3"), 0);
    daemon_.wait_for(Event::delivered, 3);
    for (const std::string& received : rip_.wait_received(3)) EXPECT_TRUE(received == document_);
}

TEST_F(RealClients, CupsSocket) {
    const std::string backend = cups_backend("socket");
    NEED_PEER(backend);
    ASSERT_EQ(print_by_cups(backend, "socket://127.0.0.1:" + std::to_string(daemon_.socket())), 0);
    expect_printed("socket", document_);
}

}  // namespace
}  // namespace opispool::spooler
