// SPDX-License-Identifier: AGPL-3.0-or-later
// The whole HTTP side on a free loopback port: real sockets, a real spool in a scratch folder, jobs in memory. The loop
// runs in a thread of its own; the test talks to it over the network or through on_loop().
#pragma once

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <arpa/inet.h>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/unique_fd.h"
#include "queues/queue_service.h"
#include "spooler/http/http_server.h"
#include "tests/base/scratch_folder.h"
#include "tests/fakes/memory_job_store.h"

namespace opispool::http {

class TestServer {
  public:
    explicit TestServer(HttpLimits limits = {}, std::uint64_t min_free_bytes = 0)
        : spool_(spooler::Spool::open((folder_.path() / "spool").string(), min_free_bytes).value()),
          service_(runner_, clock_, {queue("cover"), queue("inside"), closed("closed")}),
          handlers_(service_, spool_, pool_.get_executor(),
                    [](const queues::JobSnapshot& job) {
                        return Result<std::string>("{\"text\":\"about " + std::to_string(job.id.value) + "\"}\n");
                    }),
          server_(loop_.get_executor(), "127.0.0.1", 0, handlers_, limits) {
        const auto started = server_.start();
        EXPECT_TRUE(started) << (started ? "" : describe(started.error()));
        thread_ = std::thread([this] { loop_.run(); });
    }
    TestServer(const TestServer&) = delete;
    TestServer& operator=(const TestServer&) = delete;
    ~TestServer() { shut_down(); }

    // Orderly end: afterwards every session is over, and the records may be read from the test's thread.
    void shut_down() {
        if (!thread_.joinable()) return;
        on_loop([this] { server_.stop(); });
        guard_.reset();
        thread_.join();
        pool_.join();
    }

    void on_loop(std::function<void()> work) {
        std::promise<void> done;
        boost::asio::post(loop_, [&] {
            work();
            done.set_value();
        });
        done.get_future().wait();
    }

    unsigned port() const { return server_.port(); }
    queues::QueueService& service() { return service_; }
    queues::MemoryJobStore& store() { return store_; }
    ManualClock& clock() { return clock_; }

    // Names of the files below SPOOL/`part` ("jobs" or "tmp").
    std::vector<std::string> spool_files(const char* part) const {
        std::vector<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(folder_.path() / "spool" / part))
            names.push_back(entry.path().string());
        return names;
    }

  private:
    static queues::Queue queue(const char* name) {
        queues::Queue one;
        one.name = name;
        return one;
    }
    static queues::Queue closed(const char* name) {
        queues::Queue one = queue(name);
        one.accepting = false;
        return one;
    }

    ScratchFolder folder_;
    queues::MemoryJobStore store_;
    queues::InlineStoreRunner runner_{store_};
    ManualClock clock_{1'000};
    spooler::Spool spool_;
    boost::asio::thread_pool pool_{1};
    boost::asio::io_context loop_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard_{loop_.get_executor()};
    queues::QueueService service_;
    ApiHandlers handlers_;
    HttpServer server_;
    std::thread thread_;
};

// A client that sends exactly what it is told, in exactly these pieces. A server that hangs fails the test, not the
// run.
class RawClient {
  public:
    explicit RawClient(unsigned port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<std::uint16_t>(port));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        const timeval limit{30, 0};
        ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        EXPECT_EQ(::connect(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    }

    void send(std::string_view bytes) {
        while (!bytes.empty()) {
            const ssize_t sent = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (sent <= 0) return;  // the server may have had enough; its answer tells
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        }
    }
    void half_close() { ::shutdown(fd_.get(), SHUT_WR); }

    // Up to and including `end`, or everything until the server closes.
    std::string read_until(std::string_view end) {
        std::string text;
        char byte = 0;
        while (text.size() < end.size() || text.substr(text.size() - end.size()) != end) {
            if (::recv(fd_.get(), &byte, 1, 0) != 1) break;
            text += byte;
        }
        return text;
    }
    std::string read_all() {
        std::string text;
        char buffer[4096];
        for (ssize_t got = 0; (got = ::recv(fd_.get(), buffer, sizeof buffer, 0)) > 0;)
            text.append(buffer, static_cast<std::size_t>(got));
        return text;
    }

  private:
    UniqueFd fd_;
};

inline std::string exchange(unsigned port, std::string_view request) {
    RawClient client(port);
    client.send(request);
    return client.read_all();
}

inline std::string get(const std::string& target) {
    return "GET " + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
}
inline std::string post(const std::string& target, const std::string& body = "") {
    return "POST " + target + " HTTP/1.1\r\nHost: localhost\r\nX-Opispool: 1\r\nConnection: close\r\nContent-Length: " +
           std::to_string(body.size()) + "\r\n\r\n" + body;
}

}  // namespace opispool::http
