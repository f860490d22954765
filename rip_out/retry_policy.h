// SPDX-License-Identifier: AGPL-3.0-or-later
// Whether a job is tried again without asking anybody. Only when the destination took no byte of it: everything else
// may make a second plate. There is no limit to the attempts; a RIP that is switched off over the weekend is not an
// error.
#pragma once

#include <cstdint>
#include <optional>

#include "rip_out/sender.h"

namespace opispool::rip_out {

//   attempt  of this job, from 1: the one that has just ended
//   returns  how long to wait before the next one; nothing: no next one, the job's state says why
std::optional<std::int64_t> pick_retry_delay_ms(Outcome outcome, bool stop_queue, unsigned attempt);
inline std::optional<std::int64_t> pick_retry_delay_ms(const SendResult& result, unsigned attempt) {
    return pick_retry_delay_ms(result.outcome, result.stop_queue, attempt);
}

}  // namespace opispool::rip_out
