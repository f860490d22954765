// SPDX-License-Identifier: AGPL-3.0-or-later
#include "queues/waiting.h"

#include <algorithm>
#include <map>

namespace opispool::queues {
namespace {

// What stands before a job on its queue.
struct Ahead {
    const Job* printing = nullptr;
    std::size_t waiting = 0;
};

std::string number(const Job& job) {
    return std::to_string(job.id.value);
}

std::string first_line(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

std::string reason_or(const Job& job, const std::string& otherwise) {
    return job.reason.empty() ? otherwise : first_line(job.reason);
}

Waiting explain_held(const Job& job) {
    Waiting why{reason_or(job, "held"), job.since_ms, "an operator", "opispool release " + number(job)};
    if (job.spool_file.empty()) {
        why.who = "the program that sends it";
        why.command = "opispool cancel " + number(job);
    } else if (job.sending_begun) {
        why.who = "an operator, after a look at what the RIP printed";
        why.command += " (prints it again from the start) or opispool cancel " + number(job);
    } else if (job.cause == Event::problem) {
        why.who = "an operator, once that is mended (opispool explain " + number(job) + " tells more)";
    } else if (job.cause == Event::hold || job.cause == Event::stop_and_hold) {
        why.who = job.cause_by + " or another operator";
    }
    return why;
}

Waiting explain_late(const Job& job) {
    const std::string release = "opispool release " + number(job);
    if (job.cause == Event::retry_later)
        return {reason_or(job, "the destination could not be reached") + "; next try at " +
                    local_time_text(job.not_before_ms),
                job.since_ms, "whoever looks after the RIP of " + job.queue, release + " (tries now)"};
    return {reason_or(job, "not before " + local_time_text(job.not_before_ms)), job.since_ms,
            job.cause_by + " or an operator", release + " (prints now)"};
}

Waiting explain_paused(const Job& job, const Queue& queue) {
    const auto order = queue.orders.find(QueueWord::paused);
    if (order == queue.orders.end())
        return {"queue " + queue.name + " is configured as paused", job.since_ms, "an operator",
                "opispool resume " + queue.name};
    const bool known = order->second.at_ms > 0;
    return {"queue " + queue.name + " was paused by " + order->second.actor,
            known ? std::max(order->second.at_ms, job.since_ms) : job.since_ms, "an operator",
            "opispool resume " + queue.name};
}

Waiting explain_behind(const Job& job, const Ahead& ahead) {
    std::string reason;
    if (ahead.printing != nullptr) {
        reason = "job " + number(*ahead.printing) + " is being printed";
        if (ahead.printing->result_bytes > 0) {
            const double part =
                static_cast<double>(ahead.printing->sent_bytes) / static_cast<double>(ahead.printing->result_bytes);
            reason += " (" + std::to_string(static_cast<int>(part * 100)) + " %)";
        }
    }
    if (ahead.waiting > 0)
        reason += (reason.empty() ? "" : " and ") + std::to_string(ahead.waiting) +
                  (ahead.waiting == 1 ? " job is" : " jobs are") + " before it";
    return {reason, job.since_ms, "an operator", "opispool topq " + number(job)};
}

std::optional<Waiting> explain(const Job& job, const Queue* queue, const Ahead& ahead, UnixMs now_ms) {
    switch (job.state) {
        case JobState::pending_held:
            return explain_held(job);
        case JobState::processing_stopped:
            return Waiting{reason_or(job, "stopped"), job.since_ms, "an operator", "opispool release " + number(job)};
        case JobState::pending:
            break;
        default:
            return std::nullopt;
    }
    if (queue == nullptr)
        return Waiting{"queue " + job.queue + " is not in the configuration", job.since_ms, "an administrator",
                       "opispool move " + number(job) + " -q QUEUE"};
    if (queue->paused) return explain_paused(job, *queue);
    if (job.not_before_ms > now_ms) return explain_late(job);
    if (ahead.printing != nullptr || ahead.waiting > 0) return explain_behind(job, ahead);
    return std::nullopt;
}

}  // namespace

std::string to_line(const Waiting& waiting) {
    return waiting.reason + ", since " + local_time_text(waiting.since_ms) + "; " + waiting.who + ": " +
           waiting.command;
}

std::vector<std::optional<Waiting>> explain_waiting(std::span<const Job> jobs, std::span<const Queue> queues,
                                                    UnixMs now_ms) {
    std::map<std::string, const Queue*> known;
    for (const Queue& queue : queues) known.emplace(queue.name, &queue);
    std::map<std::string, Ahead> ahead;
    std::vector<std::optional<Waiting>> answers;
    for (const Job& job : jobs) {
        const auto queue = known.find(job.queue);
        Ahead& before = ahead[job.queue];
        answers.push_back(explain(job, queue == known.end() ? nullptr : queue->second, before, now_ms));
        if (job.state == JobState::processing) before.printing = &job;
        if (job.state == JobState::pending && job.not_before_ms <= now_ms) ++before.waiting;
    }
    return answers;
}

}  // namespace opispool::queues
