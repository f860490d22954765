// SPDX-License-Identifier: AGPL-3.0-or-later
// Which job of a queue prints next. Pure: no state, no clock of its own.
#pragma once

#include <optional>
#include <span>

#include "base/clock.h"
#include "queues/job.h"
#include "queues/queue.h"

namespace opispool::queues {

// The first pending job by prints_before() whose not_before has passed; nothing while the queue is paused or one of its
// jobs is being processed, because one destination takes one job at a time.
//   jobs  in any order; jobs of other queues are ignored        cost  one pass
std::optional<JobId> pick_next(std::span<const Job* const> jobs, const Queue& queue, UnixMs now_ms);

// When pick_next() could answer differently by the passing of time alone: the earliest not_before of the pending jobs,
// which may be in the past. Nothing while the queue is paused or busy: then only an event can help.
std::optional<UnixMs> next_wake_ms(std::span<const Job* const> jobs, const Queue& queue);

// Printing order within a queue: what is being processed, what waits, what is held, finished jobs; among them those
// told to the top (the latest first), then by priority, then by age.
bool prints_before(const Job& a, const Job& b);

}  // namespace opispool::queues
