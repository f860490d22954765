// SPDX-License-Identifier: AGPL-3.0-or-later
// limit METHOD raw|lpd PORT LIST CONNECTIONS: what the machine itself can do. LIST names ranges of files, one a line:
// "OFFSET LENGTH PATH". Each of CONNECTIONS threads sends all of them, one after another, on its connection:
//   copy      read(2) and write(2) of one megabyte at a time
//   sendfile  sendfile(2)
//   map       write(2) out of a map of the file
//   zerocopy  send(2) with MSG_ZEROCOPY out of a map of the file
//   headers   sends nothing: opens each file and reads its range
// With lpd they are the data file of a job. Prints "wall SECONDS cpu SECONDS", the answer of the peer included.
#include <fcntl.h>
#include <linux/errqueue.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/text.h"
#include "tests/bench/loopback.h"

namespace {

using opispool::UniqueFd;
using opispool::bench::leave;

constexpr std::size_t window_bytes = std::size_t{1} << 20U;

struct Range {
    std::uint64_t offset = 0;
    std::uint64_t length_bytes = 0;
    std::string path;
};

std::vector<Range> read_list(const char* path) {
    std::ifstream file(path);
    std::vector<Range> list;
    Range range;
    while (file >> range.offset >> range.length_bytes && file.get() == ' ' && std::getline(file, range.path))
        list.push_back(range);
    if (list.empty()) leave("an empty list");
    return list;
}

void send_by_copy(const UniqueFd& to, const UniqueFd& file, const Range& range) {
    static thread_local std::vector<char> buffer(window_bytes);
    for (std::uint64_t done = 0; done < range.length_bytes;) {
        const std::size_t want = std::min<std::uint64_t>(buffer.size(), range.length_bytes - done);
        const ssize_t got = ::pread(file.get(), buffer.data(), want, static_cast<off_t>(range.offset + done));
        if (got <= 0) leave("read");
        if (to) opispool::bench::write_all(to, buffer.data(), static_cast<std::size_t>(got));
        done += static_cast<std::uint64_t>(got);
    }
}

void send_by_sendfile(const UniqueFd& to, const UniqueFd& file, const Range& range) {
    auto offset = static_cast<off_t>(range.offset);
    const auto end = static_cast<off_t>(range.offset + range.length_bytes);
    while (offset < end) {
        if (::sendfile(to.get(), file.get(), &offset, static_cast<std::size_t>(end - offset)) <= 0) leave("sendfile");
    }
}

// A map of the pages of a range, unmapped with the object.
class Map {
  public:
    Map(const UniqueFd& file, const Range& range)
        : skip_(range.offset % page_bytes), length_(range.length_bytes + skip_) {
        base_ = ::mmap(nullptr, length_, PROT_READ, MAP_SHARED, file.get(), static_cast<off_t>(range.offset - skip_));
        if (base_ == MAP_FAILED) leave("mmap");
        ::madvise(base_, length_, MADV_POPULATE_READ);
    }
    Map(const Map&) = delete;
    Map& operator=(const Map&) = delete;
    ~Map() { ::munmap(base_, length_); }
    const char* begin() const { return static_cast<const char*>(base_) + skip_; }

  private:
    static constexpr std::uint64_t page_bytes = 4096;
    std::uint64_t skip_;
    std::size_t length_;
    void* base_;
};

// The map must stay until the kernel has let go of its pages: each send is answered on the error queue.
void wait_for_sends(const UniqueFd& to, std::uint32_t sends) {
    for (std::uint32_t answered = 0; answered < sends;) {
        pollfd wait{to.get(), 0, 0};
        if (::poll(&wait, 1, -1) < 0) leave("poll");
        char control[128];
        msghdr message{};
        message.msg_control = control;
        message.msg_controllen = sizeof control;
        if (::recvmsg(to.get(), &message, MSG_ERRQUEUE) < 0) {
            if (errno == EAGAIN) continue;
            leave("the error queue");
        }
        const cmsghdr* header = CMSG_FIRSTHDR(&message);
        if (header == nullptr) leave("an empty error queue");
        sock_extended_err answer{};
        std::copy_n(CMSG_DATA(header), sizeof answer, reinterpret_cast<unsigned char*>(&answer));
        answered += answer.ee_data - answer.ee_info + 1;
    }
}

void send_by_map(const UniqueFd& to, const UniqueFd& file, const Range& range, bool zero_copy) {
    const Map map(file, range);
    if (!zero_copy) {
        opispool::bench::write_all(to, map.begin(), range.length_bytes);
        return;
    }
    std::uint32_t sends = 0;
    for (std::uint64_t done = 0; done < range.length_bytes;) {
        const std::size_t want = std::min<std::uint64_t>(window_bytes, range.length_bytes - done);
        const ssize_t put = ::send(to.get(), map.begin() + done, want, MSG_ZEROCOPY | MSG_NOSIGNAL);
        if (put < 0 && errno == ENOBUFS) {  // too many pages are held
            wait_for_sends(to, sends);
            sends = 0;
            continue;
        }
        if (put <= 0) leave("send");
        ++sends;
        done += static_cast<std::uint64_t>(put);
    }
    wait_for_sends(to, sends);
}

void send_range(std::string_view method, const UniqueFd& to, const Range& range) {
    constexpr std::uint64_t small_bytes = 64 * 1024;  // a map costs more than a copy of so little
    const UniqueFd file(::open(range.path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) leave(range.path.c_str());
    if (method == "copy" || method == "headers" || (method != "sendfile" && range.length_bytes < small_bytes))
        send_by_copy(to, file, range);
    else if (method == "sendfile")
        send_by_sendfile(to, file, range);
    else
        send_by_map(to, file, range, method == "zerocopy");
}

void expect_acknowledgement(const UniqueFd& peer) {
    char answer = 1;
    if (::recv(peer.get(), &answer, 1, 0) != 1 || answer != 0) leave("the peer did not acknowledge");
}

void send_words(const UniqueFd& to, const std::string& words) {
    opispool::bench::write_all(to, words.data(), words.size());
    expect_acknowledgement(to);
}

void send_all(std::string_view method, bool lpd, std::uint16_t port, const std::vector<Range>& list) {
    const UniqueFd to = opispool::bench::connect_to(port);
    const int yes = 1;
    if (method == "zerocopy" && ::setsockopt(to.get(), SOL_SOCKET, SO_ZEROCOPY, &yes, sizeof yes) != 0)
        leave("SO_ZEROCOPY");
    if (lpd) {
        std::uint64_t total_bytes = 0;
        for (const Range& range : list) total_bytes += range.length_bytes;
        const std::string control = "Hbench\nPbench\nldfA001bench\nNbench\n";
        send_words(to, "\2bench\n");
        send_words(to, "\2" + std::to_string(control.size()) + " cfA001bench\n");
        send_words(to, control + std::string(1, '\0'));
        send_words(to, "\3" + std::to_string(total_bytes) + " dfA001bench\n");
    }
    for (const Range& range : list) send_range(method, to, range);
    if (lpd) {
        send_words(to, std::string(1, '\0'));
        return;
    }
    ::shutdown(to.get(), SHUT_WR);
    char end = 0;
    if (::recv(to.get(), &end, 1, 0) != 0) leave("the peer did not close");
}

double cpu_s() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

int usage() {
    std::fprintf(stderr, "usage: limit copy|sendfile|map|zerocopy|headers raw|lpd PORT LIST CONNECTIONS\n");
    return 2;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 6) return usage();
    const std::string_view method = argv[1], framing = argv[2];
    const auto port = opispool::checked_cast<std::uint16_t>(opispool::parse_u64(argv[3]).value_or(0));
    const std::uint64_t connections = opispool::parse_u64(argv[5]).value_or(0);
    const bool known =
        method == "copy" || method == "sendfile" || method == "map" || method == "zerocopy" || method == "headers";
    if (!port || connections == 0 || connections > 1000 || !known || (framing != "raw" && framing != "lpd"))
        return usage();
    const std::vector<Range> list = read_list(argv[4]);
    const double begun_s = opispool::bench::now_s();
    std::vector<std::thread> threads;
    for (std::uint64_t i = 0; i < connections; ++i)
        threads.emplace_back([&] {
            if (method == "headers")
                for (const Range& range : list) send_range(method, UniqueFd(), range);
            else
                send_all(method, framing == "lpd", *port, list);
        });
    for (std::thread& thread : threads) thread.join();
    std::printf("wall %.6f cpu %.6f\n", opispool::bench::now_s() - begun_s, cpu_s());
    return 0;
}
