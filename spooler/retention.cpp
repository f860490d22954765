// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/retention.h"

#include <utility>

#include "base/text.h"

namespace opispool::spooler {

namespace {

constexpr std::int64_t day_ms = 24LL * 3600 * 1000;

}  // namespace

RetentionRules retention_of(const QueueConfig& queue, const Config& config) {
    return {queue.keep_finished.value_or(config.keep_finished), queue.keep_days * day_ms, queue.keep_bytes};
}

void Retention::add(const queues::JobSnapshot& job) {
    remove(job.id);
    kept_[job.queue].push_back({job.id, job.spool_file, job.size_bytes, job.since_ms});
}

void Retention::remove(queues::JobId id) {
    for (auto& [queue, jobs] : kept_) jobs.remove_if([id](const Kept& job) { return job.id == id; });
}

std::vector<Retention::Expired> Retention::take_expired(const std::string& queue, const RetentionRules& rules,
                                                        UnixMs now_ms) {
    std::list<Kept>& jobs = kept_[queue];
    std::uint64_t total_bytes = 0;
    for (const Kept& job : jobs) total_bytes += job.size_bytes;
    std::vector<Expired> expired;
    while (!jobs.empty()) {
        const Kept& oldest = jobs.front();
        std::string why;
        if (jobs.size() > rules.most)
            why = "more than keep_finished=" + std::to_string(rules.most) + " of the queue are finished";
        else if (rules.longest_ms > 0 && now_ms - oldest.since_ms > rules.longest_ms)
            why = "finished more than keep_days=" + std::to_string(rules.longest_ms / day_ms) + " ago";
        else if (rules.most_bytes > 0 && total_bytes > rules.most_bytes)
            why = "the queue's kept documents are larger than keep_bytes=" + std::to_string(rules.most_bytes);
        else
            break;
        total_bytes -= oldest.size_bytes;
        expired.push_back({oldest.id, queue, oldest.spool_file, "document removed: " + why, oldest.size_bytes});
        jobs.pop_front();
    }
    return expired;
}

}  // namespace opispool::spooler
