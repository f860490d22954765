// SPDX-License-Identifier: AGPL-3.0-or-later
// What a job says about itself to people: reasons kept in its record and answers to requests that can't be met. One
// place, so that every door uses the same words.
#pragma once

#include <string>

#include "base/result.h"
#include "queues/job.h"

namespace opispool::queues {

Error no_such_job(JobId id);
Error no_such_queue(const std::string& name);

// The answer to `event` on a job in a state that does not allow it.
//   returns  not_permitted with what to do, for what people ask; conflict for what a runner reports
Error refusal(const Job& job, Event event);

// What an event's line in the job's log says besides its name; may be empty.
std::string change_detail(const Job& before, const Job& after, Event event);

// Reasons.  `job` as it was before the change; sizes are those of its last attempt.
std::string held_reason(const Job& job, const std::string& actor);
std::string canceled_reason(const Job& job, const std::string& actor);
std::string interrupted_reason(const Job& job);  // found by a restart
std::string stopped_unrecorded_reason(const Job& job, const std::string& actor, const std::string& error_text);
std::string spool_file_missing_reason(const Job& job);
// The document ended before its end.     job  as it is now, size_bytes  of what came
std::string broke_off_reason(const Job& job, std::uint64_t size_bytes, const std::string& why);
std::string scheduled_reason(const Job& job, const std::string& actor);  // `job` with its time set
std::string no_document_reason();                                        // while a job waits for its document

}  // namespace opispool::queues
