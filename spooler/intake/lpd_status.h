// SPDX-License-Identifier: AGPL-3.0-or-later
// lpq and lprm: what LPD's commands 03, 04 and 05 see of a queue.
//   source  RFC 1179 sections 5.3 to 5.5; layout as lpq users know it (ref 7.2)
#pragma once

#include <string>
#include <vector>

#include "queues/queue_service.h"

namespace opispool::spooler {

// list  user names and job numbers to show; everything if empty
std::string lpd_status_text(const queues::QueueService& jobs, const std::string& queue,
                            const std::vector<std::string>& list, bool long_form);

// operands  the agent (who asks), then user names and job numbers. An agent removes only its own jobs, "root" any;
//           without a list, its job that is being printed.
std::vector<queues::JobId> pick_lpd_removals(const queues::QueueService& jobs, const std::string& queue,
                                             const std::vector<std::string>& operands);

}  // namespace opispool::spooler
