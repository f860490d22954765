// SPDX-License-Identifier: AGPL-3.0-or-later
// CUPS's own test suite, its commands and its PPD checker against the IPP door. They come from Debian's packages
// cups-ipp-utils and cups-client, installed or unpacked (OPISPOOL_CUPS_PEERS).
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
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

// What ipp-2.0.test expects of a printer and a queue can't know of its RIP.
const std::vector<std::string> unknown_of_the_rip{"printer-resolution-default", "printer-resolution-supported",
                                                  "pages-per-minute"};

std::string peer(const std::string& path) {
    const char* unpacked = std::getenv("OPISPOOL_CUPS_PEERS");
    return find_peer({(unpacked != nullptr ? std::string(unpacked) : std::string()) + path, path});
}

std::string test_file(const std::string& name) {
    const char* unpacked = std::getenv("OPISPOOL_CUPS_PEERS");
    const std::string path = "/usr/share/cups/ipptool/" + name;
    const std::string other = (unpacked != nullptr ? std::string(unpacked) : std::string()) + path;
    return read_file(std::filesystem::exists(other) ? other : path);
}

class IppClients : public testing::Test {
  protected:
    IppClients()
        : rip_(std::vector<FakeRip::Script>(32, [](fakes::RipSide& side) { side.read_to_end(); })),
          daemon_(with_http(TestDaemon::config(folder_.path() + "/spool", rip_.socket_uri())), true),
          document_("%!PS-Adobe-3.0\n%%Title: (thin)\n%%Pages: 1\n%%EndComments\n%%Page: 1 1\nshowpage\n%%EOF\n"),
          file_(folder_.path() + "/thin.ps") {
        write_file(file_, document_);
    }
    static Config with_http(Config config) {
        config.http = ListenAddress{"127.0.0.1", 0};
        return config;
    }
    std::string server() { return "127.0.0.1:" + std::to_string(daemon_.daemon().http_port()); }
    std::string printer_uri() { return "ipp://" + server() + "/printers/q"; }
    // Its tests lie beside the documents they name; most of these are not PostScript and are never sent.
    void put_tests() {
        for (const char* name : {"color.jpg", "gray.jpg", "document-a4.pdf", "document-letter.pdf"})
            write_file(folder_.path() + "/" + name, "not PostScript");
        for (const char* name : {"document-a4.ps", "document-letter.ps"})
            write_file(folder_.path() + "/" + name, document_);
        write_file(folder_.path() + "/ipp-1.1.test", test_file("ipp-1.1.test"));
        write_file(folder_.path() + "/ipp-2.0.test", without_unknown(test_file("ipp-2.0.test")));
    }
    // Every line that expects one of them goes, and each must have been there.
    static std::string without_unknown(const std::string& text) {
        std::string kept;
        std::vector<int> dropped(unknown_of_the_rip.size());
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
            const std::string line = text.substr(at, end - at);
            at = end;
            bool keep = true;
            for (std::size_t i = 0; i < unknown_of_the_rip.size(); ++i) {
                if (line.find("\tEXPECT " + unknown_of_the_rip[i]) == std::string::npos) continue;
                keep = false;
                ++dropped[i];
            }
            if (keep) kept += line;
        }
        for (const int count : dropped) EXPECT_GT(count, 0);
        return kept;
    }
    int ipptool(const std::vector<std::string>& options, const std::string& test) {
        std::vector<std::string> command{peer("/usr/bin/ipptool"), "-t", "-f", file_};
        command.insert(command.end(), options.begin(), options.end());
        command.push_back(printer_uri());
        command.push_back(test);
        return run(command, {"USER=anna"});
    }
    void expect_printed(const std::string& text) {
        const auto printed = daemon_.wait_for(Event::delivered).job;
        EXPECT_EQ(printed.door, "ipp");
        EXPECT_TRUE(rip_.wait_received(1)[0] == text);
    }

    TempFolder folder_;
    FakeRip rip_;
    TestDaemon daemon_;
    std::string document_, file_;
};

TEST_F(IppClients, Ipp11Suite) {
    NEED_PEER(peer("/usr/bin/ipptool"));
    put_tests();
    EXPECT_EQ(ipptool({}, folder_.path() + "/ipp-1.1.test"), 0);
    expect_printed(document_);
}

TEST_F(IppClients, Ipp20Suite) {
    NEED_PEER(peer("/usr/bin/ipptool"));
    put_tests();
    EXPECT_EQ(ipptool({"-V", "2.0"}, folder_.path() + "/ipp-2.0.test"), 0);
    expect_printed(document_);
}

TEST_F(IppClients, IpptoolGzipChunkedAndByLength) {
    NEED_PEER(peer("/usr/bin/ipptool"));
    for (const char* name : {"print-job-gzip.test", "print-job.test", "create-job.test", "print-job-hold.test"})
        write_file(folder_.path() + "/" + name, test_file(name));
    EXPECT_EQ(ipptool({}, folder_.path() + "/print-job-gzip.test"), 0);
    expect_printed(document_);
    EXPECT_EQ(ipptool({"-c"}, folder_.path() + "/print-job.test"), 0);
    EXPECT_EQ(ipptool({"-L"}, folder_.path() + "/print-job.test"), 0);
    EXPECT_EQ(ipptool({"-c"}, folder_.path() + "/create-job.test"), 0);
    EXPECT_EQ(ipptool({}, folder_.path() + "/print-job-hold.test"), 0);
    daemon_.wait_for(Event::delivered, 5);
    for (const std::string& received : rip_.wait_received(5)) EXPECT_TRUE(received == document_);
}

TEST_F(IppClients, LpPrints) {
    const std::string lp = peer("/usr/bin/lp");
    NEED_PEER(lp);
    ASSERT_EQ(run({lp, "-h", server(), "-d", "q", "-t", "Spring cover", "-n", "2", file_}, {"HOME=" + folder_.path()}),
              0);
    const auto printed = daemon_.wait_for(Event::delivered, 2).job;
    EXPECT_EQ(printed.title, "Spring cover");
    for (const std::string& received : rip_.wait_received(2)) EXPECT_TRUE(received == document_);
}

TEST_F(IppClients, LpstatAndCancelSeeJobs) {
    const std::string lp = peer("/usr/bin/lp"), lpstat = peer("/usr/bin/lpstat"), cancel = peer("/usr/bin/cancel");
    NEED_PEER(lpstat);
    const std::vector<std::string> environment{"HOME=" + folder_.path()};
    ASSERT_EQ(run({lp, "-h", server(), "-d", "q", "-H", "hold", file_}, environment), 0);
    EXPECT_EQ(run({lpstat, "-h", server(), "-p", "q"}, environment), 0);
    EXPECT_EQ(run({lpstat, "-h", server(), "-o", "q"}, environment), 0);
    EXPECT_NE(run({lpstat, "-h", server(), "-p", "nowhere"}, environment), 0);
    ASSERT_EQ(daemon_.unfinished().size(), 1U);
    EXPECT_EQ(daemon_.unfinished()[0].state, JobState::pending_held);
    EXPECT_EQ(run({cancel, "-h", server(), "q-1"}, environment), 0);
    daemon_.wait_for(Event::cancel);
}

TEST_F(IppClients, ThePpdIsValid) {
    const std::string checker = peer("/usr/bin/cupstestppd");
    NEED_PEER(checker);
    const std::string ppd = folder_.path() + "/q.ppd";
    const std::string command = "exec \"$0\" ppd q --server \"$1\" > \"$2\"";
    ASSERT_EQ(run({"/bin/sh", "-c", command, OPISPOOL_TOOL, server(), ppd}), 0);
    EXPECT_EQ(run({checker, "-q", ppd}), 0);
    write_file(ppd, read_file(ppd).substr(0, 400));
    EXPECT_NE(run({checker, "-q", ppd}), 0) << "the checker would see a broken one";
}

}  // namespace
}  // namespace opispool::spooler
