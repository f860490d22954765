// SPDX-License-Identifier: AGPL-3.0-or-later
// sink CONNECTIONS [FILE]: a RIP that only counts. Listens on a free loopback port and prints "port N"; for each
// connection, one after another, "bytes B seconds S" from its first byte to its last, then closes it. With FILE the
// bytes of the last connection are kept. Ends after CONNECTIONS.
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <optional>
#include <vector>

#include "base/text.h"
#include "tests/bench/loopback.h"

namespace {

using opispool::UniqueFd;
using opispool::bench::leave;

void keep(const UniqueFd& file, const char* bytes, std::size_t length_bytes) {
    for (std::size_t done = 0; done < length_bytes;) {
        const ssize_t put = ::write(file.get(), bytes + done, length_bytes - done);
        if (put <= 0) leave("write");
        done += static_cast<std::size_t>(put);
    }
}

void swallow(const UniqueFd& peer, const char* path, std::vector<char>& buffer) {
    using clock = std::chrono::steady_clock;
    UniqueFd file;
    if (path != nullptr) {
        file.reset(::open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644));
        if (!file) leave(path);
    }
    unsigned long long bytes = 0;
    std::optional<clock::time_point> first;
    auto last = clock::now();
    while (true) {
        const ssize_t got = ::recv(peer.get(), buffer.data(), buffer.size(), 0);
        if (got < 0) leave("recv");
        if (got == 0) break;
        last = clock::now();
        if (!first) first = last;
        bytes += static_cast<unsigned long long>(got);
        if (file) keep(file, buffer.data(), static_cast<std::size_t>(got));
    }
    const std::chrono::duration<double> took = last - first.value_or(last);
    std::printf("bytes %llu seconds %.4f\n", bytes, took.count());
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    const auto connections = argc == 2 || argc == 3 ? opispool::parse_u64(argv[1]) : std::nullopt;
    if (!connections) {
        std::fprintf(stderr, "usage: sink CONNECTIONS [FILE]\n");
        return 2;
    }
    const UniqueFd door = opispool::bench::listen_on(0);
    std::printf("port %u\n", static_cast<unsigned>(opispool::bench::port_of(door)));
    std::fflush(stdout);
    std::vector<char> buffer(1U << 20U);
    for (std::uint64_t i = 0; i < *connections; ++i) {
        const UniqueFd peer(::accept4(door.get(), nullptr, nullptr, SOCK_CLOEXEC));
        if (!peer) leave("accept");
        swallow(peer, argc == 3 ? argv[2] : nullptr, buffer);
    }
    return 0;
}
