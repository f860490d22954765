// SPDX-License-Identifier: AGPL-3.0-or-later
#include "queues/job_pattern.h"

#include "base/text.h"

namespace opispool::queues {

bool matches_pattern(std::string_view pattern, std::string_view text) {
    const std::string wanted = to_lower_ascii(pattern), given = to_lower_ascii(text);
    std::size_t p = 0, t = 0, star = std::string::npos, retry = 0;
    while (t < given.size()) {
        if (p < wanted.size() && wanted[p] == '*') {
            star = p++;
            retry = t;
        } else if (p < wanted.size() && (wanted[p] == '?' || wanted[p] == given[t])) {
            ++p;
            ++t;
        } else if (star != std::string::npos) {
            p = star + 1;
            t = ++retry;
        } else {
            return false;
        }
    }
    return wanted.find_first_not_of('*', p) == std::string::npos;
}

bool matches(const JobPattern& pattern, const Job& job) {
    const auto fits = [](const std::string& one, const std::string& text) {
        return one.empty() || matches_pattern(one, text);
    };
    return fits(pattern.title, job.title) && fits(pattern.user, job.user) && fits(pattern.queue, job.queue);
}

}  // namespace opispool::queues
