// SPDX-License-Identifier: AGPL-3.0-or-later
// Counters since the daemon's start, and the text Prometheus reads (exposition format 0.0.4).
//   thread  loop
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "queues/job.h"
#include "queues/queue.h"

namespace opispool::http {

class Metrics {
  public:
    // Listens to QueueService.
    void note(const queues::JobSnapshot& job, queues::Event what);

    // What is asked when somebody looks.
    struct Now {
        std::vector<queues::JobSnapshot> jobs;  // unfinished
        std::vector<queues::Queue> queues;
        std::uint64_t missing_references = 0;  // of held jobs
        std::uint64_t spool_free_bytes = 0;
    };
    std::string text(const Now& now) const;

  private:
    struct Counters {
        std::uint64_t jobs_in = 0, bytes_in = 0, bytes_out = 0;
        std::map<queues::JobState, std::uint64_t> ended;
        bool rip_up = true;
    };
    std::map<std::string, Counters> queues_;
    std::set<queues::JobId> sending_;
};

}  // namespace opispool::http
