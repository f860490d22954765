// SPDX-License-Identifier: AGPL-3.0-or-later
// Which documents of finished jobs are kept for `redo` and `copy`: by count, age and bytes, each queue for itself.
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "queues/job.h"
#include "spooler/config.h"

namespace opispool::spooler {

struct RetentionRules {
    std::size_t most = 0;
    std::int64_t longest_ms = 0;   // 0: no limit
    std::uint64_t most_bytes = 0;  // 0: no limit
};

RetentionRules retention_of(const QueueConfig& queue, const Config& config);

class Retention {
  public:
    struct Expired {
        queues::JobId id;
        std::string queue, spool_file, why;
        std::uint64_t size_bytes = 0;
    };

    // A finished job, the youngest of its queue.
    void add(const queues::JobSnapshot& job);
    // It is printed again, or its document is gone.
    void remove(queues::JobId id);
    // Takes out what is to go, oldest first.
    std::vector<Expired> take_expired(const std::string& queue, const RetentionRules& rules, UnixMs now_ms);

  private:
    struct Kept {
        queues::JobId id;
        std::string spool_file;
        std::uint64_t size_bytes = 0;
        UnixMs since_ms = 0;
    };
    std::map<std::string, std::list<Kept>> kept_;  // oldest first
};

}  // namespace opispool::spooler
