// SPDX-License-Identifier: AGPL-3.0-or-later
// What every door needs, and the step all doors share: a spooled document becomes a job.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <string>

#include "base/result.h"
#include "queues/queue_service.h"
#include "spooler/config.h"
#include "spooler/intake/arrivals.h"
#include "spooler/intake/spool_writer.h"
#include "spooler/intake/start_gate.h"
#include "spooler/intake/tail_check.h"

namespace opispool::spooler {

// All of it outlives the doors.    owner  Daemon
struct Intake {
    const Config& config;
    queues::QueueService& queues;
    const Spool& spool;
    StartGate& gate;
    Arrivals& arrivals;
    boost::asio::any_io_executor loop, pool;
};

// The part of it that turns a document into a job.
struct Submission {
    queues::QueueService& queues;
    const Spool& spool;
    boost::asio::any_io_executor pool;
};

// Durable when it answers with the id; only then may the client be told. On an error the spool file is removed.
boost::asio::awaitable<Result<queues::JobId>> submit_job(Submission to, queues::NewJob job);
boost::asio::awaitable<Result<queues::JobId>> submit_job(Intake& intake, queues::NewJob job);

// Looks at a document that was not committed yet.
boost::asio::awaitable<Result<TailVerdict>> check_tail_of(Intake& intake, std::string path,
                                                          std::uint64_t from_bytes = 0);

// Removes a committed document nobody was promised anything about.
boost::asio::awaitable<void> remove_document(Submission to, std::string spool_file);
boost::asio::awaitable<void> remove_document(Intake& intake, std::string spool_file);

}  // namespace opispool::spooler
