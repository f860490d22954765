// SPDX-License-Identifier: AGPL-3.0-or-later
// One queue's way out: takes its jobs one after the other, plans each on the pool, sends it, and tells QueueService how
// it ended. A job's life is run_job(), top to bottom. A destination that is slow or gone stops this queue and no other.
//   thread  loop
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "opi/gs/measure_client.h"
#include "opi/planner.h"
#include "queues/queue_service.h"
#include "rip_out/sender.h"
#include "spooler/config.h"
#include "spooler/early_feed.h"
#include "spooler/intake/arrivals.h"
#include "spooler/intake/spool_writer.h"
#include "spooler/intake/start_gate.h"
#include "spooler/store_indexes.h"

namespace opispool::spooler {

// All of it outlives the runners.
struct RunnerServices {
    queues::QueueService& queues;
    const Spool& spool;
    StoreIndexes& stores;
    const StartGate& gate;
    const Arrivals& arrivals;
    const Clock& clock;
    boost::asio::any_io_executor loop, pool;
    std::shared_ptr<FileFacts> proofs;  // of all queues: the stores are the same files
    std::shared_ptr<WorkCrew> crew;     // of all queues: the machine is the same
};

class JobRunner {
  public:
    JobRunner(RunnerServices services, QueueConfig queue);
    JobRunner(const JobRunner&) = delete;
    JobRunner& operator=(const JobRunner&) = delete;

    void start();
    // Something may have changed: look for a job now.
    void wake() { timer_.cancel(); }
    // An operator stopped or canceled a job: end its transfer if it is ours.
    void stop_job(queues::JobId id);
    // Shutdown: finish_current() takes no further job and lets the current one end; stop_current() ends its transfer,
    // and the job is held if bytes had left.
    void finish_current();
    void stop_current();
    bool is_busy() const { return current_.has_value(); }
    // Called when a job's life here has ended, however it did.
    void on_idle(std::function<void()> listener) { on_idle_ = std::move(listener); }

  private:
    using Verb = std::function<void(queues::Done)>;

    boost::asio::awaitable<void> run();
    boost::asio::awaitable<void> run_job(queues::JobId id);
    boost::asio::awaitable<Result<opi::PlanOutcome>> plan(std::string spool_file);
    // The job's document is still arriving: its pages are sent as they come.
    //   returns  false if it must be planned as a whole, and now can be
    boost::asio::awaitable<bool> run_arriving(queues::JobSnapshot job, std::shared_ptr<Arrival> arrival);
    //   feed  where the plans after `plan` come from, or null: it is the whole job
    boost::asio::awaitable<rip_out::SendResult> send(queues::JobSnapshot job,
                                                     std::shared_ptr<const opi::SplicePlan> plan,
                                                     std::shared_ptr<EarlyFeed> feed);
    void stop_sending();
    boost::asio::awaitable<bool> begin_sending(queues::JobId id, std::uint64_t total_bytes);
    boost::asio::awaitable<void> keep_ledger(queues::JobId id, std::vector<queues::LedgerEntry> entries);
    boost::asio::awaitable<void> hold_unplanned(queues::JobId id, opi::PlanOutcome outcome);
    boost::asio::awaitable<void> settle(queues::JobId id, rip_out::SendResult result, std::uint64_t total_bytes);
    boost::asio::awaitable<void> settle_stopped(queues::JobId id, std::uint64_t sent_bytes, std::uint64_t total_bytes);
    boost::asio::awaitable<void> hold(queues::JobId id, std::string reason);
    boost::asio::awaitable<void> retry(queues::JobId id, std::int64_t delay_ms, std::string reason);
    // Repeats a report until the store has taken it: how a job ended must not be lost while the daemon lives.
    boost::asio::awaitable<void> report(queues::JobId id, Verb verb);
    boost::asio::awaitable<void> pause(std::int64_t longest_ms);

    std::optional<queues::JobId> next_job() const;
    bool is_ours(queues::JobId id) const;  // still being processed: nobody canceled or stopped it

    RunnerServices services_;
    QueueConfig queue_;
    boost::asio::steady_timer timer_;
    std::optional<queues::JobId> current_;
    std::unique_ptr<rip_out::Sender> sender_;
    std::shared_ptr<EarlyFeed> feed_;
    opi::MeasureClient measurer_;  // used by one plan() at a time
    std::function<void()> on_idle_;
    std::string begin_error_;  // why the sending mark could not be made durable
    bool finishing_ = false, stopping_ = false;
};

}  // namespace opispool::spooler
