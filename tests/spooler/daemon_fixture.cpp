// SPDX-License-Identifier: AGPL-3.0-or-later
#include "tests/spooler/daemon_fixture.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <sstream>
#include <stdexcept>

#include "queues/sqlite_job_store.h"
#include "tests/fakes/memory_job_store.h"

namespace opispool::spooler {

namespace {
// Far above anything that happens; a test that waits this long has failed.
constexpr int patience_s = 120;
}  // namespace

TempFolder::TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "opispool-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    path_ = name;
}

TempFolder::~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

Client::Client(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval limit{patience_s, 0};
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    if (::connect(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        throw std::runtime_error("connect failed");
}

void Client::send(std::string_view text) {
    while (!text.empty()) {
        const ssize_t sent = ::send(fd_.get(), text.data(), text.size(), MSG_NOSIGNAL);
        if (sent < 0) throw std::runtime_error("the server does not take our bytes");
        text.remove_prefix(static_cast<std::size_t>(sent));
    }
}

std::string Client::read(std::size_t wanted) {
    std::string got;
    while (got.size() < wanted) {
        std::string piece(std::min<std::size_t>(wanted - got.size(), 65536), '\0');
        const ssize_t count = ::recv(fd_.get(), piece.data(), piece.size(), 0);
        if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) throw std::runtime_error("waited too long");
        if (count <= 0) break;
        got.append(piece, 0, static_cast<std::size_t>(count));
    }
    return got;
}

std::string Client::read_to_end() {
    return read(SIZE_MAX);
}

void Client::half_close() {
    ::shutdown(fd_.get(), SHUT_WR);
}

void Client::reset() {
    const linger at_once{1, 0};
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    fd_.reset();
}

std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return file ? text.str() : std::string("(can't read " + path + ")");
}

void write_file(const std::string& path, std::string_view content) {
    std::ofstream(path, std::ios::binary) << content;
}

std::vector<std::string> list_folder(const std::string& path) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path))
        names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

Config TestDaemon::config(const std::string& spool, const std::string& rip) {
    Config config;
    config.http.reset();
    config.lpd = ListenAddress{"127.0.0.1", 0};
    config.spool_directory = spool;
    config.min_free_bytes = 0;
    QueueConfig queue;
    queue.name = "q";
    queue.socket = ListenAddress{"127.0.0.1", 0};
    queue.paused = rip.empty();
    queue.sender.uri = rip.empty() ? "socket://127.0.0.1:9" : rip;
    config.queues.push_back(queue);
    return config;
}

TestDaemon::TestDaemon(Config config, bool sqlite) : spool_(config.spool_directory) {
    auto spool = Spool::open(config.spool_directory, config.min_free_bytes);
    if (!spool) throw std::runtime_error(describe(spool.error()));
    std::unique_ptr<queues::JobStore> store = std::make_unique<queues::MemoryJobStore>();
    if (sqlite) {
        auto opened = queues::SqliteJobStore::open(spool_ + "/jobs.sqlite");
        if (!opened) throw std::runtime_error(describe(opened.error()));
        store = std::move(*opened);
    }
    daemon_ = std::make_unique<Daemon>(std::move(config), std::move(*spool), std::move(store));
    daemon_->queue_service().on_change([this](const queues::JobSnapshot& job, queues::Event what) {
        const std::lock_guard lock(mutex_);
        changes_.push_back({job, what});
        changed_.notify_all();
    });
    if (auto started = daemon_->start(); !started) throw std::runtime_error(describe(started.error()));
    thread_ = std::thread([this] { daemon_->run(); });
}

TestDaemon::~TestDaemon() {
    stop();
}

void TestDaemon::stop() {
    if (!thread_.joinable()) return;
    daemon_->request_stop();
    thread_.join();
}

TestDaemon::Change TestDaemon::wait_for(const std::function<bool(const Change&)>& fits) {
    std::unique_lock lock(mutex_);
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(patience_s);
    for (;;) {
        const auto found = std::find_if(changes_.begin(), changes_.end(), fits);
        if (found != changes_.end()) return *found;
        if (changed_.wait_until(lock, until) == std::cv_status::timeout)
            throw std::runtime_error("the expected change of a job did not come");
    }
}

TestDaemon::Change TestDaemon::wait_for(queues::Event what, std::size_t count) {
    std::size_t seen = 0;
    return wait_for([&, what](const Change& change) {
        // find_if starts from the first change each time.
        if (&change == changes_.data()) seen = 0;
        return change.what == what && ++seen == count;
    });
}

std::vector<TestDaemon::Change> TestDaemon::changes() {
    const std::lock_guard lock(mutex_);
    return changes_;
}

void TestDaemon::on_loop(const std::function<void(queues::QueueService&)>& work) {
    std::promise<void> done;
    boost::asio::post(daemon_->loop_executor(), [&] {
        work(daemon_->queue_service());
        done.set_value();
    });
    done.get_future().wait();
}

std::vector<queues::JobSnapshot> TestDaemon::unfinished() {
    std::vector<queues::JobSnapshot> jobs;
    on_loop([&](queues::QueueService& service) { jobs = service.list("q"); });
    return jobs;
}

}  // namespace opispool::spooler
