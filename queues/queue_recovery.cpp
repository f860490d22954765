// SPDX-License-Identifier: AGPL-3.0-or-later
// QueueService::recover: what a restart makes of the jobs it finds.
#include <utility>

#include "queues/job_text.h"
#include "queues/queue_service.h"

namespace opispool::queues {
namespace {

// The event that settles `job`, with its fields changed for it; nothing if the job may stay as it is.
std::optional<Event> settle_after_restart(Job& job, const std::optional<std::uint64_t>& spool_file_bytes) {
    if (!spool_file_bytes) {
        job.reason = spool_file_missing_reason(job);
        return Event::abort;
    }
    const bool running = job.state == JobState::processing || job.state == JobState::processing_stopped;
    if (job.size_bytes == 0) {
        job.reason = broke_off_reason(job, *spool_file_bytes, "the server stopped");
        job.size_bytes = *spool_file_bytes;
        return running ? Event::recover_sending : Event::hold;
    }
    if (!running) return std::nullopt;
    if (job.sending_begun) {
        job.reason = interrupted_reason(job);
        return Event::recover_sending;
    }
    job.reason.clear();
    return Event::recover_idle;
}

Result<void> store_change(JobStore& store, const Job& job, JobState expected, Event event) {
    if (auto updated = store.update(job, expected); !updated) return updated;
    return store.record_event({job.id, event, "system", job.changed_ms, job.reason});
}

}  // namespace

Result<void> QueueService::recover(JobStore& store, const SpoolFileSize& spool_file_size) {
    if (auto obeyed = recover_orders(store); !obeyed) return obeyed;
    auto loaded = store.load_unfinished();
    if (!loaded) return fail(loaded.error());

    const auto settled = store.in_one_commit([&]() -> Result<void> {
        for (Job& job : *loaded) {
            const JobState found_in = job.state;
            const auto event = settle_after_restart(job, spool_file_size(job.spool_file));
            if (!event) continue;
            job.state = next_state(found_in, *event).value();
            job.changed_ms = job.since_ms = clock_.now_ms();
            job.cause = *event;
            job.cause_by = "system";
            if (auto stored = store_change(store, job, found_in, *event); !stored) return stored;
        }
        return {};
    });
    if (!settled) return settled;

    for (Job& job : *loaded) {
        // Only said, not stored: the queue may come back with the next configuration.
        if (queue(job.queue) == nullptr && job.state == JobState::pending && job.reason.empty())
            job.reason = "queue \"" + job.queue + "\" is not in the configuration; the job waits until it is";
        adopt(std::move(job));
    }
    return {};
}

// A person's word holds until the configuration says the same; from then on the configuration rules again.
Result<void> QueueService::recover_orders(JobStore& store) {
    const auto orders = store.load_orders();
    if (!orders) return fail(orders.error());
    for (const QueueOrder& order : *orders) {
        Queue* ordered = queue_named(order.queue);
        if (ordered == nullptr) continue;
        const bool leads_nowhere = order.word == QueueWord::redirect && queue(order.value) == nullptr;
        if (value_of(*ordered, order.word) != order.value && !leads_nowhere) {
            obey(*ordered, order);
        } else if (auto forgotten = store.forget_order(order.queue, order.word); !forgotten) {
            return forgotten;
        }
    }
    return {};
}

}  // namespace opispool::queues
