// SPDX-License-Identifier: AGPL-3.0-or-later
// A whole daemon in this process: real doors on loopback, its own spool folder, jobs in memory or in SQLite.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/unique_fd.h"
#include "queues/job.h"
#include "spooler/config.h"
#include "spooler/daemon.h"

namespace opispool::spooler {

// A folder that is gone when the test is.
class TempFolder {
  public:
    TempFolder();
    TempFolder(const TempFolder&) = delete;
    TempFolder& operator=(const TempFolder&) = delete;
    ~TempFolder();
    const std::string& path() const { return path_; }

  private:
    std::string path_;
};

// A plain blocking client of a loopback port; nothing of the code under test is in it. Waiting too long throws.
class Client {
  public:
    explicit Client(std::uint16_t port);
    void send(std::string_view bytes);
    std::string read(std::size_t bytes);  // shorter only at the end
    std::string read_to_end();
    void half_close();
    void close() { fd_.reset(); }
    void reset();

  private:
    UniqueFd fd_;
};

// "\0" and the like keep their NULs.
template <std::size_t n>
std::string bytes(const char (&literal)[n]) {
    return std::string(literal, n - 1);
}

std::string read_file(const std::string& path);
void write_file(const std::string& path, std::string_view content);
std::vector<std::string> list_folder(const std::string& path);

class TestDaemon {
  public:
    struct Change {
        queues::JobSnapshot job;
        queues::Event what;
    };

    // A configuration on free ports with one queue "q" for each RIP; paused when `rip` is empty.
    static Config config(const std::string& spool, const std::string& rip = {});

    explicit TestDaemon(Config config, bool sqlite = false);
    TestDaemon(const TestDaemon&) = delete;
    TestDaemon& operator=(const TestDaemon&) = delete;
    ~TestDaemon();

    Daemon& daemon() { return *daemon_; }
    std::uint16_t lpd() const { return daemon_->lpd_port(); }
    std::uint16_t socket(const std::string& queue = "q") const { return daemon_->socket_port(queue); }
    // Ends in order and waits for it.
    void stop();

    // The first change, from the beginning on, that fits; waits for it.
    Change wait_for(const std::function<bool(const Change&)>& fits);
    Change wait_for(queues::Event what, std::size_t count = 1);  // the count-th of that kind
    std::vector<Change> changes();
    // Runs `work` on the loop and waits for it.
    void on_loop(const std::function<void(queues::QueueService&)>& work);
    std::vector<queues::JobSnapshot> unfinished();
    std::string document(const queues::JobSnapshot& job) const { return read_file(spool_ + "/jobs/" + job.spool_file); }

  private:
    std::string spool_;
    std::unique_ptr<Daemon> daemon_;
    std::thread thread_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Change> changes_;
};

}  // namespace opispool::spooler
