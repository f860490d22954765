// SPDX-License-Identifier: AGPL-3.0-or-later
#include "tests/fakes/fake_rip.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <stdexcept>
#include <utility>

namespace opispool::fakes {

namespace {

UniqueFd listen_on_loopback(std::uint16_t& port) {
    UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    if (::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), length) != 0 || ::listen(fd.get(), 8) != 0 ||
        ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &length) != 0)
        throw std::runtime_error("no loopback listener");
    port = ntohs(address.sin_port);
    return fd;
}

}  // namespace

std::string RipSide::read_exactly(std::size_t bytes) {
    std::array<char, 65536> buffer;
    while (ahead_.size() < bytes) {
        const ssize_t got = ::recv(fd_.get(), buffer.data(), buffer.size(), 0);
        if (got <= 0) throw Gone{};
        ahead_.append(buffer.data(), static_cast<std::size_t>(got));
    }
    std::string out = ahead_.substr(0, bytes);
    ahead_.erase(0, bytes);
    received += out;
    return out;
}

std::string RipSide::read_line() {
    std::string line;
    do line += read_exactly(1);
    while (line.back() != '\n');
    return line;
}

std::string RipSide::read_to_end() {
    std::string all = std::exchange(ahead_, {});
    std::array<char, 65536> buffer;
    for (;;) {
        const ssize_t got = ::recv(fd_.get(), buffer.data(), buffer.size(), 0);
        ended_by_reset = got < 0;
        if (got <= 0) break;
        all.append(buffer.data(), static_cast<std::size_t>(got));
    }
    received += all;
    return all;
}

void RipSide::write(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t sent = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) throw Gone{};
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
}

void RipSide::half_close() {
    ::shutdown(fd_.get(), SHUT_WR);
}

void RipSide::close() {
    const std::lock_guard lock(closing_);
    fd_.reset();
}

void RipSide::interrupt() {
    const std::lock_guard lock(closing_);
    if (fd_) ::shutdown(fd_.get(), SHUT_RDWR);
}

void RipSide::reset() {
    const linger now{1, 0};
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
    close();
}

void RipSide::limit_buffer(int bytes) {
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
}

void RipSide::wait_for_end() {
    pollfd wait{fd_.get(), POLLRDHUP, 0};
    ::poll(&wait, 1, -1);
}

FakeRip::FakeRip(std::vector<Script> scripts)
    : scripts_(std::move(scripts)), listener_(listen_on_loopback(port_)), thread_([this] { serve(); }) {}

FakeRip::~FakeRip() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
        ::shutdown(listener_.get(), SHUT_RDWR);
        if (current_ != nullptr) current_->interrupt();
        changed_.notify_all();
    }
    thread_.join();
}

void FakeRip::serve() {
    for (std::size_t n = 0;; ++n) {
        UniqueFd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
        if (!fd) return;
        RipSide rip(std::move(fd));
        {
            const std::lock_guard lock(mutex_);
            if (stopping_) return;
            ++accepted_;
            current_ = &rip;
        }
        try {
            if (n < scripts_.size()) scripts_[n](rip);
        } catch (const RipSide::Gone&) {
            rip.received += rip.ahead_;
        }
        const std::lock_guard lock(mutex_);
        current_ = nullptr;
        received_.push_back(rip.received);
        changed_.notify_all();
    }
}

std::vector<std::string> FakeRip::wait_received(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return received_.size() >= count; });
    return received_;
}

std::size_t FakeRip::accepted() {
    const std::lock_guard lock(mutex_);
    return accepted_;
}

void FakeRip::signal() {
    const std::lock_guard lock(mutex_);
    signaled_ = true;
    changed_.notify_all();
}

bool FakeRip::wait_signal() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return signaled_ || stopping_; });
    return signaled_;
}

std::uint16_t FakeRip::closed_port() {
    std::uint16_t port = 0;
    const UniqueFd fd = listen_on_loopback(port);
    return port;
}

LpdJob receive_lpd_job(RipSide& rip) {
    const std::string ack(1, '\0');
    LpdJob job;
    job.queue = rip.read_line();
    rip.write(ack);
    for (int file = 0; file < 2; ++file) {
        const std::string line = rip.read_line();
        rip.write(ack);
        const auto blank = line.find(' ');
        const std::string name = line.substr(blank + 1, line.size() - blank - 2);
        std::string bytes = rip.read_exactly(std::stoull(line.substr(1, blank - 1)) + 1);
        bytes.pop_back();
        if (line[0] == '\x02') {
            job.control = std::move(bytes);
            job.control_name = name;
        } else {
            job.data_came_first = file == 0;
            job.data = std::move(bytes);
            job.data_name = name;
        }
        rip.write(ack);
    }
    rip.read_to_end();
    return job;
}

}  // namespace opispool::fakes
