// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/daemon.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <chrono>
#include <csignal>
#include <set>
#include <thread>
#include <utility>

#include "base/file_facts.h"
#include "base/log.h"
#include "base/work_crew.h"
#include "spooler/log_events.h"

namespace opispool::spooler {

namespace asio = boost::asio;
using queues::Event;
using queues::JobSnapshot;

namespace {

// Finished jobs of a queue whose documents are looked for at the start.
constexpr std::size_t most_looked_at = 10'000;

}  // namespace

Daemon::Daemon(Config config, Spool spool, std::unique_ptr<queues::JobStore> store)
    : config_(std::move(config)),
      workers_(std::thread::hardware_concurrency()),
      store_(std::move(store)),
      spool_(std::move(spool)),
      store_runner_(*store_, workers_.loop_executor(), workers_.store_executor()),
      queues_(store_runner_, clock_, config_.queue_records()),
      stores_(config_.queues, workers_.loop_executor(), workers_.pool_executor()),
      gate_(workers_.loop_executor()),
      arrivals_(workers_.loop_executor()),
      intake_{config_, queues_, spool_, gate_, arrivals_, workers_.loop_executor(), workers_.pool_executor()},
      api_(queues_, spool_, workers_.pool_executor(), [this](const JobSnapshot& job) { return explain(job); }),
      grace_(workers_.loop()),
      retention_timer_(workers_.loop()),
      signals_(workers_.loop()) {}

// On the pool: config_, clock_ and spool_'s paths never change while it runs.
Result<std::string> Daemon::explain(const JobSnapshot& job) {
    const QueueConfig* queue = config_.queue(job.queue);
    if (queue == nullptr)
        return fail(Code::not_found, Operation::execute, "the job's queue is not in the configuration any more");
    const auto index = stores_.open(*queue, clock_.now_ms());
    if (!index) return fail(index.error());
    auto text = explain_document(spool_.job_path(job.spool_file), "job " + std::to_string(job.id.value), *index);
    if (!text && text.error().code == Code::not_found)
        return fail(Code::not_found, Operation::execute, "the job's document is no longer kept");
    return text;
}

Daemon::~Daemon() {
    workers_.join();
}

Result<void> Daemon::start() {
    if (auto recovered = recover(); !recovered) return recovered;
    queues_.set_spool_file_check([this](const std::string& name) { return spool_.job_exists(name); });
    queues_.on_change([this](const JobSnapshot& job, Event what) { job_changed(job, what); });
    queues_.on_queue_change([this](const queues::QueueOrder& order) {
        log_event(LogLevel::info, log_id::queue_ordered,
                  {{"queue", order.queue},
                   {"order", std::string(queues::name_of(order.word))},
                   {"value", order.value},
                   {"by", order.actor}});
        for (const auto& runner : runners_) runner->wake();
    });
    const RunnerServices services{queues_,
                                  spool_,
                                  stores_,
                                  gate_,
                                  arrivals_,
                                  clock_,
                                  workers_.loop_executor(),
                                  workers_.pool_executor(),
                                  std::make_shared<FileFacts>([this] { return clock_.now_ms() * 1'000'000; }),
                                  WorkCrew::usual()};
    for (const QueueConfig& queue : config_.queues) {
        runners_.push_back(std::make_unique<JobRunner>(services, queue));
        runners_.back()->on_idle([this] {
            if (stopping_) stop_if_idle();
        });
    }
    queues_.on_stop_request([this](queues::JobId id) {
        for (const auto& runner : runners_) runner->stop_job(id);
    });
    gate_.on_open([this] {
        for (const auto& runner : runners_) runner->wake();
    });
    if (auto opened = open_doors(); !opened) {
        close_doors();
        return opened;
    }
    stores_.start();
    for (const auto& runner : runners_) runner->start();
    remove_expired();
    watch_retention();
    log_event(LogLevel::notice, log_id::daemon_ready,
              {{"queues", std::to_string(config_.queues.size())}, {"spool", config_.spool_directory}});
    return {};
}

Result<void> Daemon::recover() {
    const auto size_of = [this](const std::string& name) { return spool_.job_size(name); };
    if (auto recovered = queues_.recover(*store_, size_of); !recovered) return recovered;
    std::set<std::string> known;
    for (const JobSnapshot& job : queues_.list("")) known.insert(job.spool_file);
    for (const QueueConfig& queue : config_.queues) {
        auto finished = store_->load_finished(queue.name, most_looked_at);
        if (!finished) return fail(finished.error());
        // Newest first in the store, oldest first here. Those beyond the limits go with a word, not as orphans.
        for (auto job = finished->rbegin(); job != finished->rend(); ++job) {
            if (!spool_.job_exists(job->spool_file)) continue;
            known.insert(job->spool_file);
            retention_.add(*job);
        }
    }
    const auto removed = spool_.remove_orphans(known);
    if (!removed) return fail(removed.error());
    for (const std::string& name : *removed) log_event(LogLevel::info, log_id::spool_orphan_removed, {{"file", name}});
    return {};
}

Result<void> Daemon::open_doors() {
    if (config_.http) {
        http_ =
            std::make_unique<http::HttpServer>(workers_.loop_executor(), config_.http->host, config_.http->port, api_);
        if (auto started = http_->start(); !started) return started;
    }
    for (const QueueConfig& queue : config_.queues) {
        if (!queue.socket) continue;
        auto& server = sockets_[queue.name];
        server = std::make_unique<SocketServer>(intake_, queue);
        if (auto started = server->start(); !started) return started;
    }
    if (!config_.lpd) return {};
    lpd_ = std::make_unique<LpdServer>(intake_);
    return lpd_->start();
}

void Daemon::close_doors() {
    if (lpd_) lpd_->stop();
    for (const auto& [queue, server] : sockets_) server->stop();
    if (http_) http_->stop();
}

void Daemon::run() {
    workers_.run_loop();
    workers_.join();
    log_event(LogLevel::notice, log_id::daemon_stopped);
}

void Daemon::request_stop() {
    asio::post(workers_.loop_executor(), [this] { stop(); });
}

void Daemon::stop() {
    if (stopping_) return end_runners();
    stopping_ = true;
    log_event(LogLevel::notice, log_id::daemon_stopping, {{"grace_ms", std::to_string(stop_grace_ms)}});
    close_doors();
    gate_.open_all();
    for (const auto& runner : runners_) runner->finish_current();
    grace_.expires_after(std::chrono::milliseconds(stop_grace_ms));
    grace_.async_wait([this](const boost::system::error_code& error) {
        if (!error) end_runners();
    });
    stop_if_idle();
}

// The loop ends by itself when nothing is left; only what we wait with must not keep it.
void Daemon::stop_if_idle() {
    const bool busy =
        std::any_of(runners_.begin(), runners_.end(), [](const auto& runner) { return runner->is_busy(); });
    if (!busy) end_runners();
}

void Daemon::end_runners() {
    stores_.stop();
    for (const auto& runner : runners_) runner->stop_current();
    grace_.cancel();
    retention_timer_.cancel();
    signals_.cancel();
}

void Daemon::watch_signals() {
    signals_.add(SIGTERM);
    signals_.add(SIGINT);
    signals_.add(SIGHUP);
    wait_for_signal();
}

void Daemon::wait_for_signal() {
    signals_.async_wait([this](const boost::system::error_code& error, int signal) {
        if (error) return;
        wait_for_signal();
        // Without a handler it would end us, and an operator who wants new settings must not lose the old ones.
        if (signal == SIGHUP)
            log_event(LogLevel::warning, log_id::daemon_not_reloaded);
        else
            stop();
    });
}

void Daemon::job_changed(const JobSnapshot& job, Event what) {
    std::string_view event = log_id::job_accepted;
    LogLevel level = LogLevel::info;
    switch (what) {
        case Event::submit:
        case Event::document:
            event = job.state == queues::JobState::pending || job.spool_file.empty() ? log_id::job_accepted
                                                                                     : log_id::job_held;
            break;
        case Event::arrived:
            event = log_id::job_arrived;
            break;
        case Event::start:
            event = log_id::job_started;
            break;
        case Event::begin_sending:
            event = log_id::job_sending;
            break;
        case Event::retry_later:
            event = log_id::job_waiting;
            break;
        case Event::delivered:
            event = log_id::job_printed;
            break;
        case Event::release:
            event = log_id::job_released;
            break;
        case Event::redo:
            event = log_id::job_redo;
            break;
        case Event::schedule:
        case Event::topq:
        case Event::priority:
        case Event::move:
        case Event::note:
        case Event::copy:
        case Event::forget:
            event = log_id::job_changed;
            break;
        case Event::cancel:
            event = log_id::job_canceled;
            break;
        case Event::abort:
            event = log_id::job_aborted;
            break;
        default:
            event = log_id::job_held;
            break;
    }
    if (event == log_id::job_held || event == log_id::job_waiting || event == log_id::job_aborted)
        level = LogLevel::warning;
    log_event(level, event,
              {{"id", std::to_string(job.id.value)},
               {"event", std::string(queues::name_of(what))},
               {"queue", job.queue},
               {"door", job.door},
               {"user", job.user},
               {"bytes", std::to_string(job.size_bytes)},
               {"sent", std::to_string(job.sent_bytes)},
               {"reason", job.reason}});
    if (what == Event::redo) retention_.remove(job.id);
    if (queues::is_finished(job.state) && !queues::keeps_state(what)) {
        retention_.add(job);
        remove_expired();
    }
    for (const auto& runner : runners_) runner->wake();
}

// First it is recorded, then removed: nothing that was kept goes without a word.
void Daemon::remove_expired() {
    for (const QueueConfig& queue : config_.queues)
        for (Retention::Expired& gone :
             retention_.take_expired(queue.name, retention_of(queue, config_), clock_.now_ms()))
            forget(std::move(gone));
}

void Daemon::forget(Retention::Expired gone) {
    queues_.forget(gone.id, gone.why, [this, gone](const Result<void>& forgotten) {
        const auto job = queues_.find(gone.id);
        if (!forgotten || (job && !queues::is_finished(job->state))) return;  // printed again, or looked at next time
        log_event(LogLevel::info, log_id::document_removed,
                  {{"id", std::to_string(gone.id.value)},
                   {"queue", gone.queue},
                   {"bytes", std::to_string(gone.size_bytes)},
                   {"reason", gone.why}});
        asio::post(workers_.pool_executor(), [this, file = gone.spool_file] {
            const auto removed = spool_.remove_job(file);
            if (!removed) log_event(LogLevel::warning, log_id::spool_failed, {{"text", describe(removed.error())}});
        });
    });
}

void Daemon::watch_retention() {
    retention_timer_.expires_after(std::chrono::hours(1));
    retention_timer_.async_wait([this](const boost::system::error_code& error) {
        if (error) return;
        remove_expired();
        watch_retention();
    });
}

std::uint16_t Daemon::lpd_port() const {
    return lpd_ ? lpd_->port() : std::uint16_t{0};
}

std::uint16_t Daemon::socket_port(const std::string& queue) const {
    const auto found = sockets_.find(queue);
    return found == sockets_.end() ? std::uint16_t{0} : found->second->port();
}

std::uint16_t Daemon::http_port() const {
    return http_ ? static_cast<std::uint16_t>(http_->port()) : std::uint16_t{0};
}

}  // namespace opispool::spooler
