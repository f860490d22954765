// SPDX-License-Identifier: AGPL-3.0-or-later
// sink [--lpd] [--relay PORT] [--mbps N] [--sync] [--file FILE]: a RIP that only counts, until SIGTERM. Listens on a
// free loopback port and prints "port N"; takes any number of connections at once and prints for each job "job BYTES
// FIRST LAST CLOSED": bytes of the document, and when its first byte came, its last, and its end was answered, in
// seconds of CLOCK_MONOTONIC, which every program of one machine shares.
//   --lpd   speaks LPD, counts the data files, and leaves when one is shorter than announced
//   --relay PORT  passes the bytes on as they come: a relay without a spool
//   --mbps  reads no faster than so many megabytes a second
//   --file  keeps the bytes (of the last job, if there are several); --sync: and fsyncs them before the end is answered
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "base/text.h"
#include "tests/bench/loopback.h"

namespace {

using opispool::UniqueFd;
using opispool::bench::leave;
using opispool::bench::now_s;

struct Options {
    bool lpd = false;
    bool sync = false;
    double bytes_per_s = 0;  // 0: as fast as it can
    const char* file = nullptr;
    std::uint16_t relay = 0;  // port, 0: none
};

// One document of one connection: counted, kept if wanted.
class Job {
  public:
    explicit Job(const Options& options) : options_(options), begun_s_(now_s()) {
        if (options.relay != 0) onwards_ = opispool::bench::connect_to(options.relay);
        if (options.file == nullptr) return;
        file_.reset(::open(options.file, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644));
        if (!file_) leave(options.file);
    }

    void take(const char* bytes, std::size_t length_bytes) {
        last_s_ = now_s();
        if (bytes_ == 0) first_s_ = last_s_;
        bytes_ += length_bytes;
        if (onwards_) opispool::bench::write_all(onwards_, bytes, length_bytes);
        if (file_) opispool::bench::write_all(file_, bytes, length_bytes);
        if (options_.bytes_per_s <= 0) return;
        const double due_s = begun_s_ + static_cast<double>(bytes_) / options_.bytes_per_s - now_s();
        if (due_s > 0) std::this_thread::sleep_for(std::chrono::duration<double>(due_s));
    }

    void end() {
        if (file_ && options_.sync && ::fsync(file_.get()) != 0) leave("fsync");
        onwards_.reset();
        ended_s_ = now_s();
    }

    void report() const {
        std::printf("job %llu %.6f %.6f %.6f\n", bytes_, first_s_, last_s_, ended_s_);
        std::fflush(stdout);
    }

  private:
    const Options& options_;
    UniqueFd file_, onwards_;
    double begun_s_, first_s_ = 0, last_s_ = 0, ended_s_ = 0;
    unsigned long long bytes_ = 0;
};

std::size_t receive(const UniqueFd& peer, char* to, std::size_t room_bytes) {
    const ssize_t got = ::recv(peer.get(), to, room_bytes, 0);
    if (got < 0) leave("recv");
    return static_cast<std::size_t>(got);
}

void swallow(const UniqueFd& peer, const Options& options, std::vector<char>& buffer) {
    Job job(options);
    while (const std::size_t got = receive(peer, buffer.data(), buffer.size())) job.take(buffer.data(), got);
    job.end();
    job.report();
}

void acknowledge(const UniqueFd& peer) {
    opispool::bench::write_all(peer, "\0", 1);
}

// A line of the protocol without its line feed; false at the end of the connection.
bool read_line(const UniqueFd& peer, std::string& line) {
    line.clear();
    for (char byte = 0; receive(peer, &byte, 1) == 1;) {
        if (byte == '\n') return true;
        line += byte;
    }
    return false;
}

// The bytes of one file, and the zero octet behind them.
void read_file(const UniqueFd& peer, std::uint64_t length_bytes, std::vector<char>& buffer, Job* job) {
    for (std::uint64_t left = length_bytes; left > 0;) {
        const std::size_t got = receive(peer, buffer.data(), std::min<std::uint64_t>(left, buffer.size()));
        if (got == 0) leave("the data file is shorter than announced");
        if (job != nullptr) job->take(buffer.data(), got);
        left -= got;
    }
    char end = 1;
    if (receive(peer, &end, 1) != 1 || end != 0) leave("the data file is longer than announced");
}

void swallow_lpd(const UniqueFd& peer, const Options& options, std::vector<char>& buffer) {
    std::string line;
    if (!read_line(peer, line) || line.empty() || line[0] != 2) leave("not a job");
    acknowledge(peer);
    while (read_line(peer, line)) {
        const auto length_bytes = opispool::parse_u64(line.substr(1, line.find(' ') - 1));
        if ((line[0] != 2 && line[0] != 3) || !length_bytes) leave("not a file");
        acknowledge(peer);
        if (line[0] == 2) {
            read_file(peer, *length_bytes, buffer, nullptr);
            acknowledge(peer);
            continue;
        }
        Job job(options);
        read_file(peer, *length_bytes, buffer, &job);
        job.end();
        acknowledge(peer);
        job.report();
    }
}

bool parse(int argc, char** argv, Options& options) {
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (word == "--lpd") {
            options.lpd = true;
        } else if (word == "--sync") {
            options.sync = true;
        } else if (word == "--file" && i + 1 < argc) {
            options.file = argv[++i];
        } else if (word == "--relay" && i + 1 < argc) {
            const auto port = opispool::parse_u64(argv[++i]);
            if (!port || *port == 0 || *port > 65535) return false;
            options.relay = static_cast<std::uint16_t>(*port);
        } else if (word == "--mbps" && i + 1 < argc) {
            const auto rate = opispool::parse_u64(argv[++i]);
            if (!rate || *rate == 0) return false;
            options.bytes_per_s = static_cast<double>(*rate) * 1e6;
        } else {
            return false;
        }
    }
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    static Options options;  // the threads look at it until the process ends
    if (!parse(argc, argv, options)) {
        std::fprintf(stderr, "usage: sink [--lpd] [--mbps N] [--sync] [--file FILE]\n");
        return 2;
    }
    const UniqueFd door = opispool::bench::listen_on(0);
    std::printf("port %u\n", static_cast<unsigned>(opispool::bench::port_of(door)));
    std::fflush(stdout);
    while (true) {
        UniqueFd peer(::accept4(door.get(), nullptr, nullptr, SOCK_CLOEXEC));
        if (!peer) leave("accept");
        std::thread([peer = std::move(peer)] {
            std::vector<char> buffer(1U << 20U);
            if (options.lpd)
                swallow_lpd(peer, options, buffer);
            else
                swallow(peer, options, buffer);
        }).detach();
    }
}
