// SPDX-License-Identifier: AGPL-3.0-or-later
// The records of opispool-gs, read as text from a stranger: whatever does not parse is left out or refused.
#pragma once

#include <string_view>
#include <vector>

#include "opi/measurement.h"

namespace opispool::opi {

// bodies  as they were marked: record id = index
//   errors  bad_syntax: the answer has no end, so the helper was stopped or died
Result<Measurements> parse_measure_records(std::string_view text, const std::vector<ByteRange>& bodies);

}  // namespace opispool::opi
