// SPDX-License-Identifier: AGPL-3.0-or-later
// The job store in one SQLite file. A write returns after it has been flushed to the disk.
//   thread  one at a time; opened at start-up, then used by the store thread only
//   cost    a write is one flush (a few ms on a disk), a read goes by index
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "queues/job_store.h"
#include "queues/sqlite_db.h"

namespace opispool::queues {

class SqliteJobStore final : public JobStore {
  public:
    // Creates the file, or brings an older one to the present schema; the folder must exist.
    //   errors  those of SqliteDb; unsupported (a newer opispool's file); not_permitted (another program's database)
    static Result<std::unique_ptr<SqliteJobStore>> open(const std::string& path, const SqliteOptions& options = {});

    Result<JobId> insert(const Job& job) override;
    Result<void> update(const Job& job, JobState expected) override;
    Result<std::vector<Job>> load_unfinished() override;
    Result<std::optional<Job>> load(JobId id) override;
    Result<std::vector<Job>> load_finished(const std::string& queue, std::size_t limit) override;
    Result<void> record_event(const EventRecord& record) override;
    Result<std::vector<EventRecord>> load_events(JobId id) override;
    Result<void> save_order(const QueueOrder& order) override;
    Result<void> forget_order(const std::string& queue, QueueWord word) override;
    Result<std::vector<QueueOrder>> load_orders() override;
    Result<void> save_ledger(JobId id, const std::vector<LedgerEntry>& entries, bool redone) override;
    Result<Ledger> load_ledger(JobId id) override;
    Result<void> in_one_commit(const std::function<Result<void>()>& steps) override;

  private:
    explicit SqliteJobStore(SqliteDb db) : db_(std::move(db)) {}
    Result<void> prepare_all();
    Result<void> prepare_ledger();
    Result<std::vector<LedgerEntry>> load_references(JobId id, int printing);
    Result<void> insert_messages(const Job& job);
    Result<void> explain_missed_update(const Job& job, JobState expected);
    Result<std::vector<Job>> load_rows(SqliteUse& use);
    Result<std::vector<std::string>> load_messages(JobId id);

    SqliteDb db_;  // first: statements go before their connection
    SqliteStatement insert_, update_, state_of_, delete_messages_, insert_message_, select_messages_, insert_event_,
        select_events_, select_one_, select_unfinished_, select_finished_, select_finished_of_queue_, delete_order_,
        insert_order_, select_orders_;
    SqliteStatement delete_ledger_, shift_ledger_, insert_reference_, select_references_;  // sqlite_ledger.cpp
    int depth_ = 0;                                                                        // of in_one_commit
};

}  // namespace opispool::queues
