// SPDX-License-Identifier: AGPL-3.0-or-later
// LPD beside the jobs themselves: lists, removals and what a door refuses.
#include <gtest/gtest.h>

#include "tests/spooler/lpd_fixture.h"

namespace opispool::spooler {
namespace {

TEST_F(LpdServerTest, ListsAQueue) {
    Client client(daemon_->lpd());
    open_queue(client);
    send_control(client, control_file());
    send_data(client, ps);
    finish(client);
    Client short_form(daemon_->lpd());
    short_form.send("\3q\n");
    EXPECT_EQ(short_form.read_to_end(),
              "printing is stopped\n"
              "Rank    Owner   Job     File(s)                         Total Size\n"
              "1st     anna    1       Cover                           30 bytes\n");
    Client long_form(daemon_->lpd());
    long_form.send("\4q anna\n");
    const std::string text = long_form.read_to_end();
    EXPECT_NE(text.find("anna: 1st"), std::string::npos) << text;
    EXPECT_NE(text.find("[job 1 mac1]"), std::string::npos) << text;
    Client nobody(daemon_->lpd());
    nobody.send("\3q ben\n");
    EXPECT_EQ(nobody.read_to_end(), "printing is stopped\nno entries\n");
}

TEST_F(LpdServerTest, RemovesOnlyTheAgentsJobs) {
    for (int i = 0; i < 2; ++i) {
        Client client(daemon_->lpd());
        open_queue(client);
        send_control(client, control_file());
        send_data(client, ps);
    }
    const auto remove = [&](const std::string& command) {
        Client client(daemon_->lpd());
        client.send(command);
        client.read_to_end();
        return daemon_->unfinished().size();
    };
    EXPECT_EQ(remove("\5q ben 1\n"), 2U) << "not his";
    EXPECT_EQ(remove("\5q anna\n"), 2U) << "nothing of hers is being printed";
    EXPECT_EQ(remove("\5q anna 1\n"), 1U);
    EXPECT_EQ(remove("\5q root anna\n"), 0U);
}

class FullSpool : public LpdServerTest {
  protected:
    FullSpool() : LpdServerTest([](Config& config) { config.min_free_bytes = UINT64_MAX / 2; }) {}
};

TEST_F(FullSpool, RefusesBeforeTheData) {
    Client client(daemon_->lpd());
    open_queue(client);
    send_control(client, control_file());
    client.send(data_command(std::to_string(ps.size())));
    EXPECT_EQ(client.read(1), "\2");
    client.read_to_end();
    expect_nothing_kept();
}

class ImpatientServer : public LpdServerTest {
  protected:
    ImpatientServer() : LpdServerTest([](Config& config) { config.intake.idle_timeout_ms = 50; }) {}
};

TEST_F(ImpatientServer, DiscardsASilentUpload) {
    Client client(daemon_->lpd());
    open_queue(client);
    client.send(data_command("1000"));
    client.read(1);
    client.send(ps);
    client.read_to_end();  // the server gives up
    daemon_->stop();
    EXPECT_TRUE(spooled().empty());
    EXPECT_TRUE(daemon_->changes().empty());
}

class NarrowDoor : public LpdServerTest {
  protected:
    NarrowDoor() : LpdServerTest([](Config& config) { config.intake.max_connections = 1; }) {}
};

TEST_F(NarrowDoor, RefusesConnectionsOverTheLimit) {
    Client first(daemon_->lpd());
    open_queue(first);
    Client second(daemon_->lpd());
    EXPECT_EQ(second.read_to_end(), "");
    send_data(first, ps);
}

}  // namespace
}  // namespace opispool::spooler
