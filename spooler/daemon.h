// SPDX-License-Identifier: AGPL-3.0-or-later
// Owns everything that runs and knows the order.
//   start   lock the spool -> recover the jobs -> remove orphans -> runners -> doors
//   stop    doors -> runners (2 s for what is being sent) -> pool -> store
#pragma once

#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "queues/job_store.h"
#include "queues/queue_service.h"
#include "spooler/config.h"
#include "spooler/http/api_handlers.h"
#include "spooler/http/http_server.h"
#include "spooler/intake/intake.h"
#include "spooler/intake/lpd_server.h"
#include "spooler/intake/socket_server.h"
#include "spooler/job_runner.h"
#include "spooler/retention.h"
#include "spooler/store_indexes.h"
#include "spooler/workers.h"

namespace opispool::spooler {

class Daemon {
  public:
    static constexpr std::int64_t stop_grace_ms = 2'000;

    // spool  opened from the same configuration; its lock keeps other daemons away from `store` as well
    Daemon(Config config, Spool spool, std::unique_ptr<queues::JobStore> store);
    Daemon(const Daemon&) = delete;
    Daemon& operator=(const Daemon&) = delete;
    ~Daemon();

    // Everything up to the open doors.     errors  store, io, configure (address in use); nothing runs then
    Result<void> start();
    // SIGTERM and SIGINT stop in order, a second one at once. For the program, not for tests.
    void watch_signals();
    // Serves on the calling thread until it is stopped and everything has ended.
    void run();
    // thread  any
    void request_stop();

    // Ports in use, 0 if the door is shut.    thread  any, after start()
    std::uint16_t lpd_port() const;
    std::uint16_t socket_port(const std::string& queue) const;
    std::uint16_t http_port() const;

    // For tests that watch jobs.    thread  loop: post to loop_executor()
    queues::QueueService& queue_service() { return queues_; }
    boost::asio::any_io_executor loop_executor() { return workers_.loop_executor(); }

  private:
    Result<void> recover();
    Result<void> open_doors();
    void close_doors();
    void stop();
    void stop_if_idle();
    void end_runners();
    void job_changed(const queues::JobSnapshot& job, queues::Event what);
    void remove_expired();
    void forget(Retention::Expired gone);
    void watch_retention();
    void wait_for_signal();
    Result<std::string> explain(const queues::JobSnapshot& job);

    Config config_;
    SystemClock clock_;
    Workers workers_;
    std::unique_ptr<queues::JobStore> store_;
    Spool spool_;
    AsioStoreRunner store_runner_;
    queues::QueueService queues_;
    StoreIndexes stores_;
    StartGate gate_;
    Arrivals arrivals_;
    Intake intake_;
    std::vector<std::unique_ptr<JobRunner>> runners_;
    std::unique_ptr<LpdServer> lpd_;
    std::map<std::string, std::unique_ptr<SocketServer>> sockets_;
    http::ApiHandlers api_;
    std::unique_ptr<http::HttpServer> http_;
    Retention retention_;
    boost::asio::steady_timer grace_, retention_timer_;
    boost::asio::signal_set signals_;
    bool stopping_ = false;
};

}  // namespace opispool::spooler
