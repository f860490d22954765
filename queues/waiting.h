// SPDX-License-Identifier: AGPL-3.0-or-later
// Why a job does not move: the reason, since when, who can do something about it, and the command to type. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "queues/job.h"
#include "queues/queue.h"

namespace opispool::queues {

struct Waiting {
    std::string reason;
    UnixMs since_ms = 0;
    std::string who;      // "an operator", "whoever looks after the RIP of cover"
    std::string command;  // "opispool release 42"
};

// "held by anna, since 2026-12-01 10:42:00; anna or another operator: opispool release 42"
std::string to_line(const Waiting& waiting);

// One answer for each job: nothing for one that is being printed, is next, or has ended.
//   jobs  all unfinished ones of each queue they are of, in printing order        cost  one pass
std::vector<std::optional<Waiting>> explain_waiting(std::span<const Job> jobs, std::span<const Queue> queues,
                                                    UnixMs now_ms);

}  // namespace opispool::queues
