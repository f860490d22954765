// SPDX-License-Identifier: AGPL-3.0-or-later
// Which jobs a person means by a pattern.
#pragma once

#include <string>
#include <string_view>

#include "queues/job.h"

namespace opispool::queues {

// Each is a pattern with * and ?, ASCII letters of either case are the same; an empty one fits everything.
struct JobPattern {
    std::string title, user, queue;
    bool empty() const { return title.empty() && user.empty() && queue.empty(); }
};

bool matches(const JobPattern& pattern, const Job& job);

// cost  pattern length x text length at most, whatever people write
bool matches_pattern(std::string_view pattern, std::string_view text);

}  // namespace opispool::queues
