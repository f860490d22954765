// SPDX-License-Identifier: AGPL-3.0-or-later
// The searches of a job's references told to people and to programs: every step, every candidate, why it was taken or
// not. Pure.
#pragma once

#include <string>
#include <vector>

#include "opi/planner.h"

namespace opispool::opi {

//   references  scanned with ScanDetail::steps        returns  lines of printable text
std::string explain_text(const std::string& job_name, const std::vector<ScannedReference>& references);

// {"references":[{"opi","page","line","filename","file","problem","steps":[{"step","subject","text"}]}]}; without steps
// if they were not asked for.
std::string references_json(const std::vector<ScannedReference>& references, ScanDetail detail);

}  // namespace opispool::opi
