// SPDX-License-Identifier: AGPL-3.0-or-later
// Jobs begun by Create-Job whose client has more to say. A client that falls silent has its job ended after a while.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "queues/job.h"

namespace opispool::ipp {

struct OpenJob {
    int copies = 1;
    std::string hold_reason;    // not empty: its client asked for holding it
    bool has_document = false;  // arrived and durable; the client has not closed the job yet
    bool receiving = false;     // a document is on its way right now
};

//   thread  loop
class OpenJobs {
  public:
    //   expired  called when a job was left alone too long; it is no longer open then
    OpenJobs(std::chrono::seconds time_out, std::function<void(queues::JobId, const OpenJob&)> expired);

    bool full() const;
    void add(boost::asio::any_io_executor loop, queues::JobId id, OpenJob job);
    // Nothing if it is not open. The pointer lives until the next call that adds, removes or lets time pass.
    OpenJob* find(queues::JobId id);
    void remove(queues::JobId id) { jobs_.erase(id); }
    // The client did something: its time begins anew.
    void touch(queues::JobId id);
    // Shutting down: nobody waits any more.
    void clear() { jobs_.clear(); }

  private:
    struct Entry {
        OpenJob job;
        std::unique_ptr<boost::asio::steady_timer> timer;
    };
    void expire(queues::JobId id);

    std::chrono::seconds time_out_;
    std::function<void(queues::JobId, const OpenJob&)> expired_;
    std::map<queues::JobId, Entry> jobs_;
};

}  // namespace opispool::ipp
