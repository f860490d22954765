// SPDX-License-Identifier: AGPL-3.0-or-later
// Conversations byte by byte through a real loopback socket. The queue is paused, so that jobs stay where they are.
#include <gtest/gtest.h>

#include "tests/spooler/lpd_fixture.h"

namespace opispool::spooler {
namespace {

using namespace std::string_literals;
using queues::JobState;

TEST_F(LpdServerTest, TakesControlThenData) {
    Client client(daemon_->lpd());
    open_queue(client);
    send_control(client, control_file());
    send_data(client, ps);
    // The last acknowledgement came: the job is in the store.
    const auto jobs = daemon_->unfinished();
    ASSERT_EQ(jobs.size(), 1U);
    EXPECT_EQ(jobs[0].state, JobState::pending);
    EXPECT_EQ(jobs[0].title, "Cover");
    EXPECT_EQ(jobs[0].user, "anna");
    EXPECT_EQ(jobs[0].host, "mac1");
    EXPECT_EQ(jobs[0].door, "lpd");
    EXPECT_EQ(jobs[0].size_bytes, ps.size());
    EXPECT_EQ(daemon_->document(jobs[0]), ps);
    EXPECT_TRUE(list_folder(folder_.path() + "/tmp").empty());
}

TEST_F(LpdServerTest, TakesDataThenControl) {
    Client client(daemon_->lpd());
    open_queue(client);
    send_data(client, ps);
    EXPECT_TRUE(daemon_->unfinished().empty()) << "not before the control file has come";
    send_control(client, control_file());
    const auto jobs = daemon_->unfinished();
    ASSERT_EQ(jobs.size(), 1U);
    EXPECT_EQ(jobs[0].title, "Cover");
    EXPECT_EQ(daemon_->document(jobs[0]), ps);
}

TEST_F(LpdServerTest, TakesOneByteAtATimeAndEverythingAtOnce) {
    const std::string control = control_file();
    const std::string all =
        "\2q\n" + control_command(control) + control + ok + data_command(std::to_string(ps.size())) + ps + ok;
    Client slow(daemon_->lpd());
    for (const char byte : all) slow.send(std::string(1, byte));
    EXPECT_EQ(slow.read(5), std::string(5, '\0'));
    Client fast(daemon_->lpd());
    fast.send(all);
    EXPECT_EQ(fast.read(5), std::string(5, '\0'));
    const auto jobs = daemon_->unfinished();
    ASSERT_EQ(jobs.size(), 2U);
    EXPECT_EQ(daemon_->document(jobs[0]), ps);
    EXPECT_EQ(daemon_->document(jobs[1]), ps);
}

TEST_F(LpdServerTest, TakesALargeFile) {
    std::string large = "%!PS-Adobe-3.0\n";
    while (large.size() < 5U << 20U) large += std::to_string(large.size()) + std::string(500, ' ') + "pop\n";
    Client client(daemon_->lpd());
    open_queue(client);
    send_control(client, control_file());
    send_data(client, large);
    const auto jobs = daemon_->unfinished();
    ASSERT_EQ(jobs.size(), 1U);
    EXPECT_TRUE(daemon_->document(jobs[0]) == large);
}

TEST_F(LpdServerTest, MakesAJobOfEachDataFile) {
    Client client(daemon_->lpd());
    open_queue(client);
    send_control(client, "Panna\nldfA1\nldfB1\n");
    send_data(client, ps, "dfA1");
    send_data(client, ps + "\n", "dfB1");
    const auto jobs = daemon_->unfinished();
    ASSERT_EQ(jobs.size(), 2U);
    EXPECT_EQ(daemon_->document(jobs[0]), ps);
    EXPECT_EQ(daemon_->document(jobs[1]), ps + "\n");
}

TEST_F(LpdServerTest, PrintsAFileAsOftenAsItIsNamed) {
    Client client(daemon_->lpd());
    open_queue(client);
    send_control(client, "Panna\nfdfA1\nfdfA1\nldfA1\nUdfA1\n");
    send_data(client, ps, "dfA1");
    const auto jobs = daemon_->unfinished();
    ASSERT_EQ(jobs.size(), 3U);
    for (const auto& job : jobs) EXPECT_EQ(daemon_->document(job), ps);
    EXPECT_EQ(spooled().size(), 3U) << "each has a document of its own, so that one can end before the others";
}

TEST_F(LpdServerTest, ReadsUnknownLengthsToTheClose) {
    for (const std::string& count : {"0"s, "2147483647"s, "999999999999"s, "125899906843000"s}) {
        for (const std::string& end : {""s, ok}) {
            Client client(daemon_->lpd());
            open_queue(client);
            send_control(client, control_file());
            say(client, data_command(count));
            client.send(ps + end);
            finish(client);
        }
    }
    const auto jobs = daemon_->unfinished();
    ASSERT_EQ(jobs.size(), 8U);
    for (const auto& job : jobs) {
        EXPECT_EQ(job.state, JobState::pending) << job.reason;
        EXPECT_EQ(job.title, "Cover");
        EXPECT_EQ(daemon_->document(job), ps);
    }
}

TEST_F(LpdServerTest, HoldsAnUnknownLengthWithoutAnEnd) {
    Client client(daemon_->lpd());
    open_queue(client);
    send_control(client, control_file());
    say(client, data_command("999999999999"));
    client.send("%!PS-Adobe-3.0\nshow");
    finish(client);
    const auto jobs = daemon_->unfinished();
    ASSERT_EQ(jobs.size(), 1U);
    EXPECT_EQ(jobs[0].state, JobState::pending_held);
    EXPECT_NE(jobs[0].reason.find("possibly truncated"), std::string::npos) << jobs[0].reason;
}

TEST_F(LpdServerTest, HoldsShortDataAndSaysNo) {
    Client client(daemon_->lpd());
    open_queue(client);
    send_control(client, control_file());
    say(client, data_command("1000"));
    client.send(ps);  // ends like a whole document, yet bytes are missing
    client.half_close();
    const std::string answer = client.read_to_end();
    ASSERT_EQ(answer.size(), 1U);
    EXPECT_NE(answer, ok);
    const auto jobs = daemon_->unfinished();
    ASSERT_EQ(jobs.size(), 1U);
    EXPECT_EQ(jobs[0].state, JobState::pending_held);
    EXPECT_NE(jobs[0].reason.find("only 30 of the announced 1000 bytes"), std::string::npos) << jobs[0].reason;
}

TEST_F(LpdServerTest, DiscardsWhatAResetCutOff) {
    {
        Client client(daemon_->lpd());
        open_queue(client);
        send_control(client, control_file());
        say(client, data_command("999999999999"));
        // Both are there before the door looks: the reset is told once only, behind the last bytes.
        daemon_->on_loop([&](queues::QueueService&) {
            client.send(ps);
            client.reset();
        });
    }
    daemon_->stop();
    EXPECT_TRUE(spooled().empty());
    EXPECT_TRUE(list_folder(folder_.path() + "/tmp").empty());
    EXPECT_TRUE(daemon_->changes().empty());
}

TEST_F(LpdServerTest, RefusesMoreBytesThanAnnounced) {
    Client client(daemon_->lpd());
    open_queue(client);
    send_control(client, control_file());
    say(client, data_command(std::to_string(ps.size() - 4)));
    client.send(ps + ok);
    EXPECT_NE(client.read(1), ok);
    client.read_to_end();
    expect_nothing_kept();
}

TEST_F(LpdServerTest, ForgetsAnAbortedJob) {
    Client client(daemon_->lpd());
    open_queue(client);
    send_control(client, control_file());
    send_data(client, ps + "\n\n");
    say(client, "\1\n");
    send_control(client, control_file());
    send_data(client, ps);
    finish(client);
    const auto jobs = daemon_->unfinished();
    ASSERT_EQ(jobs.size(), 1U);
    EXPECT_EQ(daemon_->document(jobs[0]), ps);
}

TEST_F(LpdServerTest, ForgetsAnAbortedHalf) {
    Client client(daemon_->lpd());
    open_queue(client);
    send_data(client, ps);
    say(client, "\1\n");
    finish(client);
    expect_nothing_kept();
}

TEST_F(LpdServerTest, IgnoresARepeatedQueueLine) {
    Client client(daemon_->lpd());
    open_queue(client);
    send_data(client, ps);
    open_queue(client);
    send_control(client, control_file());
    finish(client);
    EXPECT_EQ(daemon_->unfinished().size(), 1U);
}

TEST_F(LpdServerTest, TakesSeveralJobsOnOneConnection) {
    Client client(daemon_->lpd());
    for (int round = 0; round < 3; ++round) {
        open_queue(client);
        send_control(client, control_file());
        send_data(client, ps);
    }
    EXPECT_EQ(daemon_->unfinished().size(), 3U);
}

TEST_F(LpdServerTest, TakesDefaultsWhenTheControlFileNeverComes) {
    Client client(daemon_->lpd());
    open_queue(client);
    send_data(client, ps);
    finish(client);
    const auto jobs = daemon_->unfinished();
    ASSERT_EQ(jobs.size(), 1U);
    EXPECT_EQ(jobs[0].user, "unknown");
    EXPECT_EQ(jobs[0].host, "127.0.0.1");
    EXPECT_EQ(jobs[0].title, "dfA001mac1");
}

TEST_F(LpdServerTest, TakesAnUnknownByteForTheEnd) {
    Client client(daemon_->lpd());
    open_queue(client);
    send_data(client, ps);
    send_control(client, control_file());
    client.send(ok);
    client.read_to_end();
    EXPECT_EQ(daemon_->unfinished().size(), 1U);
}

TEST_F(LpdServerTest, TakesNamesForLabelsOnly) {
    const std::string outside = folder_.path() + "/outside";
    write_file(outside, "stays");
    for (const std::string& label : {"../outside"s, outside + ".2", "dfA001/../../x"s}) {
        Client client(daemon_->lpd());
        open_queue(client);
        send_control(client, "Hm\nPu\nf" + outside + "\nU" + outside + "\nS12 345\nf" + label + "\n");
        send_data(client, ps, label);
        finish(client);
    }
    const auto jobs = daemon_->unfinished();
    ASSERT_EQ(jobs.size(), 3U);
    for (const auto& job : jobs) EXPECT_EQ(daemon_->document(job), ps);
    EXPECT_EQ(read_file(outside), "stays");
    EXPECT_EQ(list_folder(folder_.path()), (std::vector<std::string>{"jobs", "lock", "outside", "tmp"}));
}

TEST_F(LpdServerTest, RefusesAnUnknownQueue) {
    Client client(daemon_->lpd());
    client.send("\2Q\n");
    const std::string answer = client.read_to_end();
    ASSERT_FALSE(answer.empty());
    EXPECT_EQ(answer[0], '\1');
    EXPECT_EQ(answer.substr(1), "there is no queue Q\n");
}

TEST_F(LpdServerTest, IgnoresOptionsOfTheQueueName) {
    Client client(daemon_->lpd());
    say(client, "\2q?draft=1\n");
}

TEST_F(LpdServerTest, RefusesWhatIsNoLpd) {
    Client client(daemon_->lpd());
    client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    client.read_to_end();
    expect_nothing_kept();
}

}  // namespace
}  // namespace opispool::spooler
