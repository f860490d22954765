// SPDX-License-Identifier: AGPL-3.0-or-later
// From what the planner found out about a job's pictures to the job's ledger, and what an operator should look at.
// Pure.
#pragma once

#include <string>
#include <vector>

#include "opi/planner.h"
#include "queues/ledger.h"
#include "spooler/config.h"

namespace opispool::spooler {

std::vector<queues::LedgerEntry> ledger_of(const std::vector<opi::ReferenceRecord>& references);

// Pictures with too few pixels or in a colour space that the queue's press does not print; by the queue's keys.
std::vector<std::string> quality_warnings(const std::vector<queues::LedgerEntry>& entries, const QueueConfig& queue);

}  // namespace opispool::spooler
