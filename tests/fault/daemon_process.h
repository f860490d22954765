// SPDX-License-Identifier: AGPL-3.0-or-later
// The real opispoold as a process of its own, to be killed without a word.
#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/unique_fd.h"

namespace opispool {

class DaemonProcess {
  public:
    // Writes a configuration with one queue "q" into `folder`, starts the daemon and waits until its doors are open.
    DaemonProcess(const std::string& folder, const std::string& rip_uri);
    DaemonProcess(const DaemonProcess&) = delete;
    DaemonProcess& operator=(const DaemonProcess&) = delete;
    ~DaemonProcess();

    std::uint16_t lpd() const { return lpd_; }
    std::uint16_t socket() const { return socket_; }
    // kill -9, and waits until it is gone.
    void kill();
    // SIGTERM.    returns  the exit status
    int stop();
    // The first log line from the beginning that contains `text`; waits for it, throws if it does not come.
    std::string wait_line(const std::string& text);

  private:
    void read_log();
    std::uint16_t wait_port(const std::string& door);
    void end(int signal);
    pid_t pid_ = -1;
    int status_ = 0;
    std::uint16_t lpd_ = 0, socket_ = 0;
    UniqueFd log_;
    std::thread reader_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::string> lines_;
    bool ended_ = false;
};

}  // namespace opispool
