// SPDX-License-Identifier: AGPL-3.0-or-later
#include "tests/fault/daemon_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <stdexcept>

namespace opispool {

namespace {
constexpr std::chrono::seconds patience{120};
}

DaemonProcess::DaemonProcess(const std::string& folder, const std::string& rip_uri) {
    const std::string config = folder + "/opispool.conf";
    std::ofstream(config)
        << "[listen]\nhttp=\nlpd=127.0.0.1:0\n[spool]\ndirectory=spool\nmin_free_bytes=0\n[queue q]\nrip=" << rip_uri
        << "\nsocket_port=127.0.0.1:0\n";
    std::array<int, 2> pipe{};
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe failed");
    log_.reset(pipe[0]);
    UniqueFd write_end(pipe[1]);
    pid_ = ::fork();
    if (pid_ < 0) throw std::runtime_error("fork failed");
    if (pid_ == 0) {
        ::dup2(write_end.get(), STDERR_FILENO);
        ::execl(OPISPOOLD_PATH, "opispoold", "--config", config.c_str(), static_cast<char*>(nullptr));
        ::_exit(127);
    }
    write_end.reset();
    reader_ = std::thread([this] { read_log(); });
    lpd_ = wait_port("lpd");
    socket_ = wait_port("socket");
    wait_line("daemon.ready");
}

DaemonProcess::~DaemonProcess() {
    end(SIGKILL);
}

void DaemonProcess::read_log() {
    std::string text;
    std::array<char, 4096> buffer{};
    for (;;) {
        const ssize_t count = ::read(log_.get(), buffer.data(), buffer.size());
        const std::lock_guard lock(mutex_);
        if (count <= 0) {
            // Not a line of the daemon's own: a sanitizer's report must be seen.
            if (!text.empty()) lines_.push_back(text);
            ended_ = true;
            changed_.notify_all();
            return;
        }
        text.append(buffer.data(), static_cast<std::size_t>(count));
        for (std::size_t end = 0; (end = text.find('\n')) != std::string::npos; text.erase(0, end + 1))
            lines_.push_back(text.substr(0, end));
        changed_.notify_all();
    }
}

std::string DaemonProcess::wait_line(const std::string& text) {
    std::unique_lock lock(mutex_);
    const auto until = std::chrono::steady_clock::now() + patience;
    for (;;) {
        const auto found = std::find_if(lines_.begin(), lines_.end(), [&text](const std::string& line) {
            return line.find(text) != std::string::npos;
        });
        if (found != lines_.end()) return *found;
        if (ended_ || changed_.wait_until(lock, until) == std::cv_status::timeout) {
            std::string log = "no line with \"" + text + "\" in the log:\n";
            for (const std::string& line : lines_) log += line + "\n";
            throw std::runtime_error(log);
        }
    }
}

std::uint16_t DaemonProcess::wait_port(const std::string& door) {
    const std::string line = wait_line("listen.ready door=" + door);
    return static_cast<std::uint16_t>(std::stoi(line.substr(line.find("port=") + 5)));
}

void DaemonProcess::end(int signal) {
    if (pid_ <= 0) return;
    ::kill(pid_, signal);
    ::waitpid(pid_, &status_, 0);
    pid_ = -1;
    reader_.join();
}

void DaemonProcess::kill() {
    end(SIGKILL);
}

int DaemonProcess::stop() {
    end(SIGTERM);
    return WIFEXITED(status_) ? WEXITSTATUS(status_) : -WTERMSIG(status_);
}

}  // namespace opispool
