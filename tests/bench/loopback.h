// SPDX-License-Identifier: AGPL-3.0-or-later
// Sockets and clock of this machine, for the measuring programs: they leave with a message when something fails.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "base/unique_fd.h"

namespace opispool::bench {

[[noreturn]] inline void leave(const char* what) {
    std::perror(what);
    std::exit(1);
}

// Seconds of CLOCK_MONOTONIC, which Python's time.monotonic() shows too.
inline double now_s() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

inline void write_all(const UniqueFd& to, const char* bytes, std::size_t length_bytes) {
    for (std::size_t done = 0; done < length_bytes;) {
        const ssize_t put = ::write(to.get(), bytes + done, length_bytes - done);
        if (put <= 0) leave("write");
        done += static_cast<std::size_t>(put);
    }
}

inline sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

// port  0: the kernel chooses
inline UniqueFd listen_on(std::uint16_t port) {
    UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int yes = 1;
    ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    const sockaddr_in address = loopback(port);
    // The sockets interface takes every address as a sockaddr.
    if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(fd.get(), 128) != 0)
        leave("listen");
    return fd;
}

inline std::uint16_t port_of(const UniqueFd& fd) {
    sockaddr_in address{};
    socklen_t length = sizeof address;
    if (::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &length) != 0) leave("getsockname");
    return ntohs(address.sin_port);
}

inline UniqueFd connect_to(std::uint16_t port) {
    UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const sockaddr_in address = loopback(port);
    if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) leave("connect");
    return fd;
}

}  // namespace opispool::bench
