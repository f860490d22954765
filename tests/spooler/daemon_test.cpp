// SPDX-License-Identifier: AGPL-3.0-or-later
// The whole way: a document in by a real door, out by a real sender to a RIP on loopback.
#include "spooler/daemon.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/fakes/fake_rip.h"
#include "tests/spooler/daemon_fixture.h"
#include "tests/spooler/tiny_job.h"

namespace opispool::spooler {
namespace {

using namespace std::string_literals;
using fakes::FakeRip;
using fakes::RipSide;
using queues::Event;
using queues::JobState;

const std::string ps = "%!PS-Adobe-3.0\n%%Page: 1 1\nshowpage\n%%EOF\n";

// Everything a byte can be, and every line end.
std::string nasty_document() {
    std::string text = "%!PS-Adobe-3.0\r%%Title: bytes\r\n%%EndComments\n%%BeginData: 65536 Binary Bytes\n";
    for (int i = 0; i < 65536; ++i) text += static_cast<char>((i * 7 + i / 256) & 0xFF);
    return text + "\n%%EndData\r\n%%Trailer\r%%EOF\n\4";
}

void print_by_lpd(TestDaemon& daemon, const std::string& text) {
    const std::string control = "Hm\nPanna\nJjob\nldfA001m\n";
    Client client(daemon.lpd());
    client.send("\2q\n\2" + std::to_string(control.size()) + " cfA001m\n" + control + "\0\3"s +
                std::to_string(text.size()) + " dfA001m\n" + text + "\0"s);
    ASSERT_EQ(client.read(5), std::string(5, '\0'));
}

void print_by_socket(TestDaemon& daemon, const std::string& text) {
    Client client(daemon.socket());
    client.send(text);
    client.half_close();
    client.read_to_end();
}

const FakeRip::Script take_all = [](RipSide& rip) { rip.read_to_end(); };

TEST(Daemon, PassesDocumentsByteForByteThroughBothDoorsToASocketRip) {
    const TempFolder folder;
    FakeRip rip({take_all, take_all});
    TestDaemon daemon(TestDaemon::config(folder.path(), rip.socket_uri()), true);
    const std::string text = nasty_document();
    print_by_lpd(daemon, text);
    print_by_socket(daemon, text);
    daemon.wait_for(Event::delivered, 2);
    const auto received = rip.wait_received(2);
    EXPECT_TRUE(received[0] == text);
    EXPECT_TRUE(received[1] == text);
}

TEST(Daemon, PassesDocumentsByteForByteThroughBothDoorsToAnLpdRip) {
    const TempFolder folder;
    std::vector<fakes::LpdJob> jobs(2);
    FakeRip rip({[&](RipSide& side) { jobs[0] = fakes::receive_lpd_job(side); },
                 [&](RipSide& side) { jobs[1] = fakes::receive_lpd_job(side); }});
    TestDaemon daemon(TestDaemon::config(folder.path(), rip.lpd_uri()), true);
    const std::string text = nasty_document();
    print_by_lpd(daemon, text);
    print_by_socket(daemon, text);
    daemon.wait_for(Event::delivered, 2);
    rip.wait_received(2);
    EXPECT_TRUE(jobs[0].data == text);
    EXPECT_TRUE(jobs[1].data == text);
    EXPECT_EQ(jobs[0].queue, "\2plates\n");
}

// A queue "q" whose pictures are in FOLDER/store.
Config with_store(const std::string& folder, const std::string& rip = {}) {
    std::filesystem::create_directory(folder + "/store");
    Config config = TestDaemon::config(folder + "/spool", rip);
    config.queues[0].store_paths = {folder + "/store"};
    return config;
}

TEST(Daemon, HoldsAJobWithAMissingPictureAndPrintsTheOthers) {
    const TempFolder folder;
    FakeRip rip(take_all);
    TestDaemon daemon(with_store(folder.path(), rip.socket_uri()));
    print_by_socket(daemon,
                    "%!PS-Adobe-3.0\n%%Page: 1 1\n%ALDImageFileName: (lost.tif)\n%ALDImageDimensions: 10 10\n"
                    "%ALDImageCropRect: 0 0 10 10\n%ALDImagePosition: 0 0 0 10 10 10 10 0\n"
                    "%%BeginObject: image\n%%EndObject\nshowpage\n%%EOF\n");
    const auto held = daemon.wait_for(Event::problem).job;
    EXPECT_EQ(held.state, JobState::pending_held);
    EXPECT_NE(held.reason.find("lost.tif"), std::string::npos) << held.reason;
    EXPECT_FALSE(held.messages.empty());
    print_by_socket(daemon, ps);
    daemon.wait_for(Event::delivered);
    EXPECT_EQ(rip.wait_received(1)[0], ps);
}

TEST(Daemon, KnowsWhatCameIntoAStoreBeforeTheJobWhicheverQueueItGoesTo) {
    const TempFolder folder;
    std::filesystem::create_directory(folder.path() + "/store");
    FakeRip rip({take_all, take_all, take_all});
    Config config = TestDaemon::config(folder.path() + "/spool", rip.socket_uri());
    config.queues[0].store_paths = {folder.path() + "/store"};
    QueueConfig other = config.queues[0];
    other.name = "other";
    config.queues.push_back(other);
    TestDaemon daemon(std::move(config));
    print_by_socket(daemon, ps);
    daemon.wait_for(Event::delivered);
    for (std::size_t i = 1; i < 3; ++i) {
        const std::string name = "late" + std::to_string(i) + ".eps";
        const std::string job_folder = folder.path() + "/store/job" + std::to_string(i);
        std::filesystem::create_directory(job_folder);
        write_file(job_folder + "/" + name, "%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n% late\nshowpage\n");
        Client client(daemon.socket(i == 1 ? "q" : "other"));
        client.send("%!PS-Adobe-3.0\n%%Page: 1 1\n%ALDImageFileName: (" + name +
                    ")\n%ALDImageDimensions: 10 10\n%ALDImageCropRect: 0 0 10 10\n"
                    "%ALDImagePosition: 0 0 0 10 10 10 10 0\n%%BeginObject: image\n%%EndObject\nshowpage\n%%EOF\n");
        client.half_close();
        client.read_to_end();
        daemon.wait_for([i](const TestDaemon::Change& change) {
            return change.job.id.value == static_cast<std::int64_t>(i + 1) &&
                   (change.what == Event::delivered || change.what == Event::problem);
        });
        EXPECT_NE(rip.wait_received(i + 1)[i].find("% late"), std::string::npos);
    }
}

TEST(Daemon, WaitsForAPictureThatIsStillBeingWritten) {
    const TempFolder folder;
    FakeRip rip(take_all);
    TestDaemon daemon(with_store(folder.path(), rip.socket_uri()));
    std::ofstream writer(folder.path() + "/store/car.tif", std::ios::binary);
    writer << tiny_tiff() << std::flush;
    print_by_socket(daemon, thin_job("car.tif"));
    const auto waiting = daemon.wait_for(Event::retry_later).job;
    EXPECT_EQ(waiting.state, JobState::pending);
    EXPECT_NE(waiting.reason.find("is still being written"), std::string::npos) << waiting.reason;
    writer.close();
    // The operator need not wait for the next try.
    daemon.on_loop(
        [&](queues::QueueService& service) { service.release(waiting.id, "anna", [](const Result<void>&) {}); });
    daemon.wait_for(Event::delivered);
    EXPECT_NE(rip.wait_received(1)[0].find("\x10\x60\xA0\xF0"), std::string::npos) << "the picture was put in";
}

// What GET /api/jobs/ID/explain answers.
std::string explained(std::uint16_t port, queues::JobId job) {
    Client client(port);
    client.send("GET /api/jobs/" + std::to_string(job.value) +
                "/explain HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n");
    return client.read_to_end();
}

TEST(Daemon, ExplainsASearchByTheStoresAsTheyAreNow) {
    const TempFolder folder;
    Config config = with_store(folder.path());
    config.http = ListenAddress{"127.0.0.1", 0};
    std::filesystem::create_directory(folder.path() + "/store/jobs");
    TestDaemon daemon(std::move(config));
    print_by_socket(daemon, thin_job("Mac HD:jobs:car.tif"));
    const auto job = daemon.wait_for(Event::submit).job;
    const std::string before = explained(daemon.daemon().http_port(), job.id);
    EXPECT_NE(before.find("car.tif"), std::string::npos) << before;
    EXPECT_EQ(before.find("store/jobs/car.tif"), std::string::npos) << before;
    write_file(folder.path() + "/store/jobs/car.tif", tiny_tiff());
    const std::string after = explained(daemon.daemon().http_port(), job.id);
    EXPECT_NE(after.find("found: "), std::string::npos) << after;
    EXPECT_NE(after.find("store/jobs/car.tif"), std::string::npos) << after;
}

TEST(Daemon, HoldsAJobTheRipFailed) {
    const TempFolder folder;
    FakeRip rip([](RipSide& side) {
        side.read_exactly(10);
        side.write("%%[ Error: undefined; OffendingCommand: foo ]%%\n");
        side.read_to_end();
    });
    TestDaemon daemon(TestDaemon::config(folder.path(), rip.socket_uri()));
    print_by_socket(daemon, ps);
    const auto held = daemon.wait_for(Event::problem).job;
    EXPECT_NE(held.reason.find("undefined"), std::string::npos) << held.reason;
}

TEST(Daemon, WaitsForARipThatIsOffAndLetsAnotherQueueGoOn) {
    const TempFolder folder;
    FakeRip rip(take_all);
    Config config = TestDaemon::config(folder.path(), "socket://127.0.0.1:" + std::to_string(FakeRip::closed_port()));
    QueueConfig other = config.queues[0];
    other.name = "other";
    other.sender.uri = rip.socket_uri();
    config.queues.push_back(other);
    TestDaemon daemon(std::move(config));
    print_by_socket(daemon, ps);
    const auto waiting = daemon.wait_for(Event::retry_later).job;
    EXPECT_EQ(waiting.state, JobState::pending);
    EXPECT_FALSE(waiting.reason.empty());
    EXPECT_FALSE(waiting.sending_begun);
    Client client(daemon.socket("other"));
    client.send(ps);
    client.half_close();
    daemon.wait_for(Event::delivered);
    EXPECT_EQ(rip.wait_received(1)[0], ps);
}

// A document too large for the buffers between us and a RIP that does not read.
std::string too_large_to_hide() {
    std::string text = "%!PS-Adobe-3.0\n";
    while (text.size() < 24U << 20U) text += "% " + std::to_string(text.size()) + std::string(8000, '.') + "\n";
    return text + "%%EOF\n";
}

TEST(Daemon, StopsTheTransferOfACanceledJob) {
    const TempFolder folder;
    FakeRip rip({[](RipSide& side) { side.wait_for_end(); }, take_all});
    TestDaemon daemon(TestDaemon::config(folder.path(), rip.socket_uri()));
    print_by_socket(daemon, too_large_to_hide());
    const auto sending = daemon.wait_for(Event::begin_sending).job;
    daemon.on_loop(
        [&](queues::QueueService& service) { service.cancel(sending.id, "anna", [](const Result<void>&) {}); });
    EXPECT_EQ(daemon.wait_for(Event::cancel).job.state, JobState::canceled);
    print_by_socket(daemon, ps);
    daemon.wait_for(Event::delivered);
    EXPECT_EQ(rip.wait_received(2)[1], ps) << "the queue goes on";
}

TEST(Daemon, HoldsWhatItWasSendingWhenItIsStopped) {
    const TempFolder folder;
    FakeRip rip([](RipSide& side) { side.wait_for_end(); });
    {
        TestDaemon daemon(TestDaemon::config(folder.path(), rip.socket_uri()), true);
        print_by_socket(daemon, too_large_to_hide());
        daemon.wait_for(Event::begin_sending);
        daemon.stop();
        const auto held = daemon.wait_for(Event::problem).job;
        EXPECT_EQ(held.state, JobState::pending_held);
        EXPECT_NE(held.reason.find("stopped while sending"), std::string::npos) << held.reason;
    }
    FakeRip second(take_all);
    TestDaemon daemon(TestDaemon::config(folder.path(), second.socket_uri()), true);
    const auto jobs = daemon.unfinished();
    ASSERT_EQ(jobs.size(), 1U);
    EXPECT_EQ(jobs[0].state, JobState::pending_held) << "not sent again by itself";
    daemon.on_loop(
        [&](queues::QueueService& service) { service.release(jobs[0].id, "anna", [](const Result<void>&) {}); });
    daemon.wait_for(Event::delivered);
    EXPECT_TRUE(second.wait_received(1)[0] == too_large_to_hide());
}

TEST(Daemon, LetsAJobThatEndsInTimeEndBeforeItStops) {
    const TempFolder folder;
    FakeRip rip([](RipSide& side) {
        side.read_to_end();
        side.write("%%[ status: idle ]%%\n");
    });
    TestDaemon daemon(TestDaemon::config(folder.path(), rip.socket_uri()));
    print_by_socket(daemon, ps);
    daemon.wait_for(Event::start);
    daemon.stop();
    const auto changes = daemon.changes();
    const Event last = changes.back().what;
    // Stopped before a byte left, or printed; never in between.
    EXPECT_TRUE(last == Event::delivered || last == Event::retry_later) << static_cast<int>(last);
}

TEST(Daemon, PrintsWaitingJobsAfterARestart) {
    const TempFolder folder;
    {
        TestDaemon paused(TestDaemon::config(folder.path()), true);
        print_by_lpd(paused, ps);
        print_by_socket(paused, ps + "\n");
    }
    FakeRip rip({take_all, take_all});
    TestDaemon daemon(TestDaemon::config(folder.path(), rip.socket_uri()), true);
    daemon.wait_for(Event::delivered, 2);
    const auto received = rip.wait_received(2);
    EXPECT_EQ(received[0], ps);
    EXPECT_EQ(received[1], ps + "\n");
}

TEST(Daemon, RemovesWhatNobodyWasPromisedAtTheStart) {
    const TempFolder folder;
    { TestDaemon first(TestDaemon::config(folder.path()), true); }
    write_file(folder.path() + "/tmp/1-1.job", "half");
    write_file(folder.path() + "/jobs/1-2.job", "no record");
    write_file(folder.path() + "/jobs/notes.txt", "somebody else's");
    TestDaemon daemon(TestDaemon::config(folder.path()), true);
    EXPECT_TRUE(list_folder(folder.path() + "/tmp").empty());
    EXPECT_EQ(list_folder(folder.path() + "/jobs"), std::vector<std::string>{"notes.txt"});
}

TEST(Daemon, KeepsTheDocumentsOfTheLastFinishedJobs) {
    const TempFolder folder;
    FakeRip rip({take_all, take_all, take_all});
    Config config = TestDaemon::config(folder.path(), rip.socket_uri());
    config.queues[0].store_paths = {};
    config.keep_finished = 1;
    {
        TestDaemon daemon(std::move(config), true);
        for (int i = 0; i < 3; ++i) print_by_socket(daemon, ps);
        daemon.wait_for(Event::delivered, 3);
    }
    EXPECT_EQ(list_folder(folder.path() + "/jobs").size(), 1U);
}

TEST(Daemon, DoesNotShareItsSpool) {
    const TempFolder folder;
    TestDaemon daemon(TestDaemon::config(folder.path()));
    const auto second = Spool::open(folder.path(), 0);
    ASSERT_FALSE(second.has_value());
    EXPECT_EQ(second.error().code, Code::conflict);
}

TEST(Daemon, SaysWhichDoorItCannotOpen) {
    const TempFolder folder, other;
    TestDaemon daemon(TestDaemon::config(folder.path()));
    Config config = TestDaemon::config(other.path());
    config.lpd = ListenAddress{"127.0.0.1", daemon.lpd()};
    EXPECT_THROW(TestDaemon second(std::move(config)), std::runtime_error);
}

}  // namespace
}  // namespace opispool::spooler
