// SPDX-License-Identifier: AGPL-3.0-or-later
// A QueueService over an in-memory store, with the store's side of every request driven by hand.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "queues/queue_service.h"
#include "tests/fakes/deferred_store_runner.h"
#include "tests/fakes/memory_job_store.h"

namespace opispool::queues {

// Remembers how a request ended; nothing as long as it has not.
struct Answer {
    std::optional<Result<void>> result;
    Done done() {
        return [this](Result<void> r) { result = std::move(r); };
    }
    bool ok() const { return result && result->has_value(); }
    bool failed_with(Code code) const { return result && !*result && result->error().code == code; }
    std::string text() const { return result && !*result ? result->error().text : std::string(); }
};

inline Error disk_full() {
    return Error{Code::no_space, Operation::store, "disk full", {}, std::nullopt};
}

class ServiceTest : public ::testing::Test {
  protected:
    ServiceTest() {
        service_.on_change([this](const JobSnapshot& job, Event what) {
            changes_.push_back(std::to_string(job.id.value) + " " + std::string(name_of(what)) + " " +
                               std::string(name_of(job.state)));
        });
        service_.on_stop_request([this](JobId id) { stops_.push_back(id); });
    }

    static NewJob new_job(const std::string& queue = "plates") {
        NewJob job;
        job.queue = queue;
        job.title = "cover";
        job.user = "anna";
        job.spool_file = "000001.ps";
        job.size_bytes = 40'000;
        return job;
    }
    JobId submit(NewJob job = new_job()) {
        std::optional<Result<JobId>> answer;
        service_.submit(std::move(job), [&](Result<JobId> id) { answer = std::move(id); });
        runner_.run_all();
        return answer.value().value();
    }
    // Runs a verb to its end.
    template <typename Verb>
    Answer now(Verb verb) {
        Answer answer;
        verb(answer.done());
        runner_.run_all();
        return answer;
    }
    JobId submit_and_start() {
        const JobId id = submit();
        EXPECT_TRUE(now([&](Done d) { service_.start(id, std::move(d)); }).ok());
        return id;
    }
    JobId submit_and_send(std::uint64_t result_bytes, std::uint64_t sent_bytes) {
        const JobId id = submit_and_start();
        EXPECT_TRUE(now([&](Done d) { service_.begin_sending(id, result_bytes, std::move(d)); }).ok());
        service_.progress(id, sent_bytes);
        return id;
    }
    Job stored(JobId id) const { return store_.jobs().at(id); }
    JobState state(JobId id) const { return service_.find(id).value().state; }
    std::string reason(JobId id) const { return service_.find(id).value().reason; }
    std::vector<std::string> history(JobId id) {
        std::vector<std::string> lines;
        const auto records = store_.load_events(id);
        for (const EventRecord& record : *records)
            lines.push_back(std::string(name_of(record.event)) + " by " + record.actor);
        return lines;
    }

    MemoryJobStore store_;
    DeferredStoreRunner runner_{store_};
    ManualClock clock_{1'000'000};
    QueueService service_{runner_,
                          clock_,
                          {Queue{"plates", true, false, false}, Queue{"proofs", true, false, true},
                           Queue{"closed", false, false, false}}};
    std::vector<std::string> changes_;
    std::vector<JobId> stops_;
};

}  // namespace opispool::queues
