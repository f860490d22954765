// SPDX-License-Identifier: AGPL-3.0-or-later
// A JobStore that forgets everything at the end of the test, and fails when told to.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "queues/job_store.h"

namespace opispool::queues {

class MemoryJobStore final : public JobStore {
  public:
    // The next `count` writes (insert, update) fail with `error`.
    void fail_writes(int count, Error error) {
        passes_ = 0;
        failures_ = count;
        failure_ = std::move(error);
    }
    // `count` writes pass, the one after them fails with `error`.
    void fail_writes_after(int count, Error error) {
        fail_writes(1, std::move(error));
        passes_ = count;
    }
    const std::map<JobId, Job>& jobs() const { return data_.jobs; }
    int commits() const { return commits_; }

    Result<JobId> insert(const Job& job) override {
        if (auto refused = take_failure()) return fail(*refused);
        const JobId id{++data_.last_id};
        Job stored = job;
        stored.id = id;
        data_.jobs.emplace(id, std::move(stored));
        undo_.emplace_back([this, id] { data_.jobs.erase(id); });
        return id;
    }

    Result<void> update(const Job& job, JobState expected) override {
        if (auto refused = take_failure()) return fail(*refused);
        const auto found = data_.jobs.find(job.id);
        if (found == data_.jobs.end()) return fail(Code::not_found, Operation::store, "no such job");
        if (found->second.state != expected)
            return fail(Code::conflict, Operation::store, "the job is " + std::string(name_of(found->second.state)));
        undo_.emplace_back([this, before = found->second] { data_.jobs.at(before.id) = before; });
        found->second = job;
        return {};
    }

    Result<std::vector<Job>> load_unfinished() override {
        std::vector<Job> jobs;
        for (const auto& [id, job] : data_.jobs)
            if (!is_finished(job.state)) jobs.push_back(job);
        return jobs;
    }

    Result<std::optional<Job>> load(JobId id) override {
        const auto found = data_.jobs.find(id);
        if (found == data_.jobs.end()) return std::optional<Job>{};
        return std::optional<Job>{found->second};
    }

    Result<std::vector<Job>> load_finished(const std::string& queue, std::size_t limit) override {
        std::vector<Job> jobs;
        for (auto job = data_.jobs.rbegin(); job != data_.jobs.rend() && jobs.size() < limit; ++job)
            if (is_finished(job->second.state) && (queue.empty() || job->second.queue == queue))
                jobs.push_back(job->second);
        return jobs;
    }

    Result<void> record_event(const EventRecord& record) override {
        data_.events.push_back(record);
        undo_.emplace_back([this] { data_.events.pop_back(); });
        return {};
    }

    Result<std::vector<EventRecord>> load_events(JobId id) override {
        std::vector<EventRecord> events;
        for (const EventRecord& record : data_.events)
            if (record.job == id) events.push_back(record);
        return events;
    }

    Result<void> save_order(const QueueOrder& order) override {
        if (auto refused = take_failure()) return fail(*refused);
        data_.orders[{order.queue, name_of(order.word)}] = order;
        return {};
    }

    Result<void> forget_order(const std::string& queue, QueueWord word) override {
        if (auto refused = take_failure()) return fail(*refused);
        data_.orders.erase({queue, name_of(word)});
        return {};
    }

    Result<std::vector<QueueOrder>> load_orders() override {
        std::vector<QueueOrder> orders;
        for (const auto& [key, order] : data_.orders) orders.push_back(order);
        return orders;
    }

    Result<void> save_ledger(JobId id, const std::vector<LedgerEntry>& entries, bool redone) override {
        if (auto refused = take_failure()) return fail(*refused);
        Ledger& ledger = data_.ledgers[id];
        if (redone) ledger.before = std::move(ledger.now);
        ledger.now = entries;
        return {};
    }

    Result<Ledger> load_ledger(JobId id) override {
        const auto found = data_.ledgers.find(id);
        return found == data_.ledgers.end() ? Ledger{} : found->second;
    }

    Result<void> in_one_commit(const std::function<Result<void>()>& steps) override {
        if (depth_ == 0) undo_.clear();
        const std::size_t mark = undo_.size();
        ++depth_;
        auto result = steps();
        --depth_;
        if (!result) {
            for (; undo_.size() > mark; undo_.pop_back()) undo_.back()();
            return result;
        }
        if (depth_ == 0) ++commits_;
        return {};
    }

  private:
    struct Data {
        std::map<JobId, Job> jobs;
        std::map<std::pair<std::string, std::string_view>, QueueOrder> orders;
        std::vector<EventRecord> events;
        std::map<JobId, Ledger> ledgers;
        std::int64_t last_id = 0;
    };

    std::optional<Error> take_failure() {
        if (failures_ == 0 || passes_-- > 0) return std::nullopt;
        passes_ = 0;
        --failures_;
        return failure_;
    }

    Data data_;
    std::vector<std::function<void()>> undo_;  // of the writes in the present commit
    int depth_ = 0;
    int passes_ = 0;
    int failures_ = 0;
    int commits_ = 0;
    Error failure_;
};

}  // namespace opispool::queues
