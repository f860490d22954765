// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/intake/lpd_status.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"

namespace opispool::spooler {

namespace {

using queues::JobSnapshot;
using queues::JobState;

std::string ordinal(std::size_t n) {
    static constexpr std::array<std::string_view, 4> endings{"th", "st", "nd", "rd"};
    const bool teen = n % 100 >= 11 && n % 100 <= 13;
    return std::to_string(n) + std::string(endings.at(!teen && n % 10 <= 3 ? n % 10 : 0));
}

std::string padded(std::string text, std::size_t width) {
    if (text.size() < width)
        text.resize(width, ' ');
    else
        text += ' ';
    return text;
}

bool is_listed(const JobSnapshot& job, const std::vector<std::string>& list) {
    return list.empty() || std::any_of(list.begin(), list.end(), [&job](const std::string& word) {
               return word == job.user || word == std::to_string(job.id.value);
           });
}

std::string rank_of(const JobSnapshot& job, std::size_t& waiting) {
    switch (job.state) {
        case JobState::processing:
            return "active";
        case JobState::pending_held:
            return "hold";
        default:
            return ordinal(++waiting);
    }
}

}  // namespace

std::string lpd_status_text(const queues::QueueService& jobs, const std::string& queue,
                            const std::vector<std::string>& list, bool long_form) {
    const queues::Queue* record = jobs.queue(queue);
    if (record == nullptr) return "there is no queue " + printable(queue) + "\n";
    std::string text;
    if (record->paused) text += "printing is stopped\n";
    if (!record->accepting) text += "the queue does not accept jobs\n";
    std::string table;
    std::size_t waiting = 0;
    for (const JobSnapshot& job : jobs.list(queue)) {
        const std::string rank = rank_of(job, waiting);
        if (!is_listed(job, list)) continue;
        const std::string id = std::to_string(job.id.value);
        const std::string size = std::to_string(job.size_bytes);
        if (long_form) {
            table += "\n" + padded(job.user + ": " + rank, 41) + "[job " + id + " " + job.host + "]\n";
            table += "        " + padded(job.title, 33) + size + " bytes\n";
            if (!job.reason.empty()) table += "        " + job.reason + "\n";
        } else {
            table += padded(rank, 8) + padded(job.user, 8) + padded(id, 8) + padded(job.title, 32) + size + " bytes\n";
        }
    }
    if (table.empty()) return text + "no entries\n";
    if (!long_form) text += "Rank    Owner   Job     File(s)                         Total Size\n";
    return text + table;
}

std::vector<queues::JobId> pick_lpd_removals(const queues::QueueService& jobs, const std::string& queue,
                                             const std::vector<std::string>& operands) {
    std::vector<queues::JobId> picked;
    if (operands.empty()) return picked;
    const std::string& agent = operands.front();
    const std::vector<std::string> list(operands.begin() + 1, operands.end());
    for (const JobSnapshot& job : jobs.list(queue)) {
        const bool allowed = agent == "root" || agent == job.user;
        const bool meant = list.empty() ? job.user == agent && job.state == JobState::processing : is_listed(job, list);
        if (allowed && meant) picked.push_back(job.id);
    }
    return picked;
}

}  // namespace opispool::spooler
