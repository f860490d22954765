// SPDX-License-Identifier: AGPL-3.0-or-later
// A daemon with a paused queue and the steps of an LPD client.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/spooler/daemon_fixture.h"

namespace opispool::spooler {

inline const std::string ps = "%!PS-Adobe-3.0\nshowpage\n%%EOF\n";
inline const std::string ok(1, '\0');

inline std::string control_file(const std::string& label = "dfA001mac1") {
    return "Hmac1\nPanna\nJCover\nl" + label + "\nU" + label + "\nNcover.ps\n";
}
inline std::string control_command(const std::string& text) {
    return "\2" + std::to_string(text.size()) + " cfA001mac1\n";
}
inline std::string data_command(const std::string& count, const std::string& label = "dfA001mac1") {
    return "\3" + count + " " + label + "\n";
}

class LpdServerTest : public testing::Test {
  protected:
    LpdServerTest() : LpdServerTest([](Config&) {}) {}
    explicit LpdServerTest(const std::function<void(Config&)>& change) {
        Config config = TestDaemon::config(folder_.path());
        change(config);
        daemon_ = std::make_unique<TestDaemon>(std::move(config));
    }

    void say(Client& client, const std::string& text) {
        client.send(text);
        ASSERT_EQ(client.read(1), ok) << "after " << text;
    }
    void open_queue(Client& client) { say(client, "\2q\n"); }
    void send_control(Client& client, const std::string& text) {
        say(client, control_command(text));
        say(client, text + ok);
    }
    void send_data(Client& client, const std::string& text, const std::string& label = "dfA001mac1") {
        say(client, data_command(std::to_string(text.size()), label));
        say(client, text + ok);
    }
    // Says goodbye and waits until the server has done everything it does for this connection.
    void finish(Client& client) {
        client.half_close();
        client.read_to_end();
    }
    std::vector<std::string> spooled() { return list_folder(folder_.path() + "/jobs"); }
    void expect_nothing_kept() {
        EXPECT_TRUE(daemon_->unfinished().empty());
        EXPECT_TRUE(spooled().empty());
        EXPECT_TRUE(list_folder(folder_.path() + "/tmp").empty());
    }

    TempFolder folder_;
    std::unique_ptr<TestDaemon> daemon_;
};

}  // namespace opispool::spooler
