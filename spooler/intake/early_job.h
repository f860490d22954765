// SPDX-License-Identifier: AGPL-3.0-or-later
// A job that begins to print before its document has come to its end (queue option early_start). The door goes on
// writing the document; here it becomes a job at its beginning, and whole or in doubt at its end.
//
//   begin ── grew, grew ... ──┬── complete   whole, durable and recorded: tell the client, the RIP gets the last page
//                             └── break_off  held in doubt, the RIP's connection is reset
#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <string>

#include "base/result.h"
#include "queues/queue_service.h"
#include "spooler/intake/arrivals.h"
#include "spooler/intake/spool_writer.h"

namespace opispool::spooler {

//   thread  loop      owner  the door's session, for one document
class EarlyJob {
  public:
    // all outlive the job; the writer is open and has the document's first bytes
    EarlyJob(queues::QueueService& queues, Arrivals& arrivals, SpoolWriter& writer)
        : queues_(queues), arrivals_(arrivals), writer_(writer) {}
    EarlyJob(const EarlyJob&) = delete;
    EarlyJob& operator=(const EarlyJob&) = delete;
    // Neither complete nor broken off: the runner is told that nothing more comes, the record is settled by the next
    // start.
    ~EarlyJob();

    //   job     without spool file and size      errors  io, store errors: there is no job and no document any more
    boost::asio::awaitable<Result<void>> begin(queues::NewJob job);
    // Bytes of the document in whose pages everything is closed.
    std::uint64_t closed_bytes() const { return arrival_->closed_bytes(); }
    // More of it was written.
    void grew() { arrival_->grew(writer_.size_bytes()); }
    // Durable when it answers with the id; only then may the client be told.
    //   errors  io, store errors: broken off
    boost::asio::awaitable<Result<queues::JobId>> complete();
    //   why  "the connection broke"
    boost::asio::awaitable<void> break_off(std::string why);

  private:
    queues::QueueService& queues_;
    Arrivals& arrivals_;
    SpoolWriter& writer_;
    std::string spool_file_;
    std::shared_ptr<Arrival> arrival_;
    queues::JobId id_;
    bool ended_ = true;
};

}  // namespace opispool::spooler
