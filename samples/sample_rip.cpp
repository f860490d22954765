// SPDX-License-Identifier: AGPL-3.0-or-later
// sample_rip: stands where a platesetter's RIP stands. Takes jobs over AppSocket and LPR, renders each with Ghostscript
// to one TIFF per plate and a PNG to look at, and answers `%%[ Error: ... ]%%` on the back channel when Ghostscript
// fails. One job at a time, as many RIPs do; a second connection waits.
//
//   sample_rip OUT APPSOCKET_PORT LPD_PORT      OUT/DOOR/TITLE/{received.ps,page-N.tif,page-N(Ink).tif,page-N.png}
//
// "ready" on standard output when both ports listen, then one line per job:
// `DOOR TITLE N bytes received in S s, rendered in S s, N pages`.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "base/unique_fd.h"

namespace opispool::samples {

namespace {

namespace fs = std::filesystem;
constexpr const char* resolution = "-r144";

struct Rendered {
    bool good = false;
    std::string messages;  // what Ghostscript said
};

UniqueFd listen_on(std::uint16_t port) {
    UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int yes = 1;
    ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    // NOLINTNEXTLINE: the sockets interface takes every address as a sockaddr
    const auto* generic = reinterpret_cast<const sockaddr*>(&address);
    if (::bind(fd.get(), generic, sizeof address) != 0 || ::listen(fd.get(), 16) != 0) {
        std::perror(("sample_rip: port " + std::to_string(port)).c_str());
        fd.reset();
    }
    return fd;
}

// A connection read through a buffer, because LPD mixes lines and counted bytes.
class Peer {
  public:
    explicit Peer(UniqueFd fd) : fd_(std::move(fd)), buffer_(1U << 18U) {}

    // The next bytes, at most `limit`; empty at the end or on failure.
    std::string_view some(std::size_t limit) {
        if (begin_ == end_) {
            const ssize_t got = ::recv(fd_.get(), buffer_.data(), buffer_.size(), 0);
            if (got <= 0) return {};
            begin_ = 0;
            end_ = static_cast<std::size_t>(got);
        }
        const std::string_view piece(buffer_.data() + begin_, std::min(limit, end_ - begin_));
        begin_ += piece.size();
        return piece;
    }
    std::optional<std::string> line() {
        std::string text;
        while (text.size() < 1024) {
            const std::string_view c = some(1);
            if (c.empty()) return std::nullopt;
            if (c[0] == '\n') return text;
            text += c[0];
        }
        return std::nullopt;
    }
    bool answer(std::string_view bytes) {
        return ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
    }
    void finish() { ::shutdown(fd_.get(), SHUT_WR); }

  private:
    UniqueFd fd_;
    std::vector<char> buffer_;
    std::size_t begin_ = 0, end_ = 0;
};

// A file that grows as the job arrives.
class Received {
  public:
    explicit Received(const fs::path& path)
        : fd_(::open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644)) {}
    bool add(std::string_view bytes) {
        if (bytes_ == 0) first_ = std::chrono::steady_clock::now();
        bytes_ += bytes.size();
        while (!bytes.empty()) {
            const ssize_t put = ::write(fd_.get(), bytes.data(), bytes.size());
            if (put <= 0) return false;
            bytes.remove_prefix(static_cast<std::size_t>(put));
        }
        return true;
    }
    std::uint64_t bytes() const { return bytes_; }
    // Since the first byte.
    double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - first_).count(); }

  private:
    UniqueFd fd_;
    std::uint64_t bytes_ = 0;
    std::chrono::steady_clock::time_point first_;
};

// `%%Title: (Harbour magazine)` as a folder name: harbour-magazine.
std::string title_of(const fs::path& path) {
    std::array<char, 4096> head{};
    const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    const ssize_t got = ::read(fd.get(), head.data(), head.size());
    const std::string_view text(head.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
    const auto at = text.find("%%Title:");
    std::string title;
    if (at != std::string_view::npos) {
        const std::string_view rest = text.substr(at + 8);
        for (const char c : rest.substr(0, rest.find_first_of("\r\n"))) {
            if (std::isalnum(static_cast<unsigned char>(c)) != 0)
                title += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
            else if (!title.empty() && title.back() != '-')
                title += '-';
        }
    }
    while (!title.empty() && title.back() == '-') title.pop_back();
    return title.empty() ? "untitled" : title;
}

// Runs Ghostscript on a received job; its messages come back through a pipe.
Rendered run_ghostscript(const fs::path& job, const std::vector<std::string>& device) {
    std::vector<std::string> words{"gs", "-q", "-dSAFER", "-dBATCH", "-dNOPAUSE", resolution};
    words.insert(words.end(), device.begin(), device.end());
    words.push_back(job.string());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
    UniqueFd read_end(ends[0]), write_end(ends[1]);
    const pid_t child = ::fork();
    if (child == 0) {
        ::dup2(write_end.get(), STDOUT_FILENO);
        ::dup2(write_end.get(), STDERR_FILENO);
        ::execvp("gs", argv.data());
        ::_exit(127);
    }
    write_end.reset();
    Rendered result;
    std::array<char, 4096> text{};
    for (ssize_t got; (got = ::read(read_end.get(), text.data(), text.size())) > 0;)
        result.messages.append(text.data(), static_cast<std::size_t>(got));
    int status = 0;
    ::waitpid(child, &status, 0);
    result.good = child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    return result;
}

// The interpreter's words for what went wrong, in the form that spoolers look for.
std::string error_line(const std::string& messages) {
    std::string name = "unknownerror", command = "unknown";
    const auto at = messages.find("Error: /");
    if (at != std::string::npos) {
        const std::string rest = messages.substr(at + 8, 200);
        name = rest.substr(0, rest.find_first_of(" \n"));
        const auto in = rest.find(" in ");
        if (in != std::string::npos) command = rest.substr(in + 4, rest.find_first_of(" \n", in + 4) - in - 4);
    }
    return "%%[ Error: " + name + "; OffendingCommand: " + command +
           " ]%%\r\n%%[ Flushing: rest of job (to end-of-file) will be ignored ]%%\r\n";
}

class Rip {
  public:
    explicit Rip(fs::path out) : out_(std::move(out)) { fs::create_directories(out_); }

    void take_appsocket(Peer& peer) {
        const fs::path incoming = out_ / "incoming-appsocket.ps";
        Received file(incoming);
        for (std::string_view piece; !(piece = peer.some(SIZE_MAX)).empty();)
            if (!file.add(piece)) return;
        if (file.bytes() == 0) return;
        const Rendered result = render("appsocket", incoming, file);
        if (!result.good) peer.answer(error_line(result.messages));
        peer.finish();
    }

    // RFC 1179, the part a spooler uses: 02 queue, then 02 control file and 03 data file, each acknowledged.
    void take_lpd(Peer& peer) {
        static constexpr std::string_view ok("\0", 1);
        const auto command = peer.line();
        if (!command || command->empty() || command->front() != '\2' || !peer.answer(ok)) return;
        const fs::path incoming = out_ / "incoming-lpd.ps";
        while (const auto line = peer.line()) {
            const auto count = parse_u64(
                std::string_view(*line).substr(std::min<std::size_t>(1, line->size())).substr(0, line->find(' ') - 1));
            if (!count || (line->front() != '\2' && line->front() != '\3') || !peer.answer(ok)) return;
            const bool is_data = line->front() == '\3';
            Received file(is_data ? incoming : out_ / "incoming-control");
            std::uint64_t left = *count;
            while (left > 0) {
                const std::string_view piece =
                    peer.some(static_cast<std::size_t>(std::min<std::uint64_t>(left, 1U << 18U)));
                if (piece.empty() || !file.add(piece)) return;
                left -= piece.size();
            }
            if (peer.some(1) != ok) return;
            const bool good = !is_data || render("lpd", incoming, file).good;
            if (!peer.answer(good ? ok : std::string_view("\1", 1))) return;
        }
    }

  private:
    Rendered render(const char* door, const fs::path& incoming, const Received& file) {
        const double received_s = file.seconds();
        const auto start = std::chrono::steady_clock::now();
        const std::string title = title_of(incoming);
        const fs::path folder = out_ / door / title;
        fs::remove_all(folder);
        fs::create_directories(folder);
        const fs::path job = folder / "received.ps";
        fs::rename(incoming, job);
        Rendered result = run_ghostscript(
            job, {"-sDEVICE=tiffsep", "-sCompression=lzw", "-sOutputFile=" + (folder / "page-%d.tif").string()});
        if (result.good)
            result = run_ghostscript(job, {"-sDEVICE=png16m", "-dTextAlphaBits=4", "-dGraphicsAlphaBits=4",
                                           "-sOutputFile=" + (folder / "page-%d.png").string()});
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        const auto pages =
            std::count_if(fs::directory_iterator(folder), fs::directory_iterator(),
                          [](const fs::directory_entry& entry) { return entry.path().extension() == ".png"; });
        std::printf("%s %s %llu bytes received in %.4f s, rendered in %.2f s, %ld pages%s\n", door, title.c_str(),
                    static_cast<unsigned long long>(file.bytes()), received_s, took.count(), static_cast<long>(pages),
                    result.good ? "" : " FAILED");
        if (!result.messages.empty()) std::printf("%s\n", printable(result.messages).c_str());
        std::fflush(stdout);
        return result;
    }

    fs::path out_;
};

int serve(const char* out, std::uint16_t appsocket_port, std::uint16_t lpd_port) {
    Rip rip(out);
    const UniqueFd appsocket = listen_on(appsocket_port), lpd = listen_on(lpd_port);
    if (!appsocket || !lpd) return 1;
    std::printf("ready\n");
    std::fflush(stdout);
    std::array<pollfd, 2> doors{{{appsocket.get(), POLLIN, 0}, {lpd.get(), POLLIN, 0}}};
    while (::poll(doors.data(), doors.size(), -1) > 0 || errno == EINTR) {
        for (std::size_t i = 0; i < doors.size(); ++i) {
            if ((doors.at(i).revents & POLLIN) == 0) continue;
            Peer peer(UniqueFd(::accept4(doors.at(i).fd, nullptr, nullptr, SOCK_CLOEXEC)));
            if (i == 0)
                rip.take_appsocket(peer);
            else
                rip.take_lpd(peer);
        }
    }
    return 1;
}

}  // namespace

}  // namespace opispool::samples

int main(int argc, char** argv) {
    using opispool::checked_cast, opispool::parse_u64;
    std::array<std::uint16_t, 2> ports{};
    for (std::size_t i = 0; argc == 4 && i < 2; ++i)
        ports.at(i) = checked_cast<std::uint16_t>(parse_u64(argv[i + 2]).value_or(0)).value_or(0);
    if (ports[0] == 0 || ports[1] == 0) {
        std::fprintf(stderr, "usage: sample_rip OUT APPSOCKET_PORT LPD_PORT\n");
        return 2;
    }
    return opispool::samples::serve(argv[1], ports[0], ports[1]);
}
