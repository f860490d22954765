// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/http/metrics.h"

#include <array>

namespace opispool::http {

using queues::Event;
using queues::JobState;

namespace {

// A label's value: backslash, quote and line feed are written as the format wants them.
std::string label(const std::string& value) {
    std::string text = "\"";
    for (const char c : value) {
        if (c == '\n') {
            text += "\\n";
            continue;
        }
        if (c == '\\' || c == '"') text += '\\';
        text += c;
    }
    return text + "\"";
}

std::string heading(const char* name, const char* kind, const char* help) {
    return std::string("# HELP ") + name + " " + help + "\n# TYPE " + name + " " + kind + "\n";
}

std::string sample(const char* name, const std::string& labels, std::uint64_t value) {
    return name + (labels.empty() ? "" : "{" + labels + "}") + " " + std::to_string(value) + "\n";
}

}  // namespace

void Metrics::note(const queues::JobSnapshot& job, Event what) {
    Counters& counters = queues_[job.queue];
    if (what == Event::submit) ++counters.jobs_in;
    if (what == Event::submit || what == Event::document || what == Event::arrived) counters.bytes_in += job.size_bytes;
    if (what == Event::retry_later) counters.rip_up = false;
    if (what == Event::begin_sending) {
        counters.rip_up = true;
        sending_.insert(job.id);
    } else if (job.state != JobState::processing && sending_.erase(job.id) > 0) {
        counters.bytes_out += job.sent_bytes;
    }
    if (is_finished(job.state) && !keeps_state(what)) ++counters.ended[job.state];
}

std::string Metrics::text(const Now& now) const {
    static constexpr std::array states{JobState::pending, JobState::pending_held, JobState::processing};
    static constexpr std::array ends{JobState::completed, JobState::canceled, JobState::aborted};
    const auto counters_of = [this](const std::string& queue) {
        const auto found = queues_.find(queue);
        return found == queues_.end() ? Counters() : found->second;
    };
    std::string jobs = heading("opispool_jobs", "gauge", "Jobs that are not finished.");
    std::string in = heading("opispool_jobs_received_total", "counter", "Jobs taken since the start.");
    std::string bytes_in = heading("opispool_received_bytes_total", "counter", "Bytes of documents taken.");
    std::string bytes_out = heading("opispool_sent_bytes_total", "counter", "Bytes that destinations took.");
    std::string ended = heading("opispool_jobs_finished_total", "counter", "Jobs that ended since the start.");
    std::string rip = heading("opispool_rip_up", "gauge", "0 when the last try to reach the destination failed.");
    std::string paused = heading("opispool_queue_paused", "gauge", "1 for a queue that starts no job.");
    for (const queues::Queue& queue : now.queues) {
        const std::string name = "queue=" + label(queue.name);
        const Counters counters = counters_of(queue.name);
        for (const JobState state : states) {
            std::uint64_t count = 0;
            for (const queues::JobSnapshot& job : now.jobs)
                if (job.queue == queue.name && job.state == state) ++count;
            jobs += sample("opispool_jobs", name + ",state=" + label(std::string(name_of(state))), count);
        }
        for (const JobState state : ends) {
            const auto found = counters.ended.find(state);
            ended += sample("opispool_jobs_finished_total", name + ",state=" + label(std::string(name_of(state))),
                            found == counters.ended.end() ? 0 : found->second);
        }
        in += sample("opispool_jobs_received_total", name, counters.jobs_in);
        bytes_in += sample("opispool_received_bytes_total", name, counters.bytes_in);
        bytes_out += sample("opispool_sent_bytes_total", name, counters.bytes_out);
        rip += sample("opispool_rip_up", name, counters.rip_up ? 1 : 0);
        paused += sample("opispool_queue_paused", name, queue.paused ? 1 : 0);
    }
    return jobs + in + bytes_in + bytes_out + ended + rip + paused +
           heading("opispool_missing_references", "gauge", "References of held jobs that could not be placed.") +
           sample("opispool_missing_references", "", now.missing_references) +
           heading("opispool_spool_free_bytes", "gauge", "Free bytes of the spool's file system.") +
           sample("opispool_spool_free_bytes", "", now.spool_free_bytes);
}

}  // namespace opispool::http
