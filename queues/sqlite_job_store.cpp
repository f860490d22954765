// SPDX-License-Identifier: AGPL-3.0-or-later
#include "queues/sqlite_job_store.h"

#include <initializer_list>
#include <limits>
#include <utility>

#include "base/text.h"
#include "queues/sqlite_schema.h"

namespace opispool::queues {
namespace {

// The order in which bind_record() writes and read_record() reads.
#define OPISPOOL_JOB_COLUMNS                                                                     \
    "state, reason, queue, title, user, host, door, spool_file, size_bytes, hold, hold_reason, " \
    "result_bytes, sent_bytes, sending_begun, attempts, created_ms, changed_ms, not_before_ms, " \
    "priority, rank, note, cause, cause_by, since_ms"
// As in the partial indexes of the schema, word for word; otherwise they are not used.
#define OPISPOOL_UNFINISHED "state IN ('pending', 'pending-held', 'processing', 'processing-stopped')"
#define OPISPOOL_FINISHED "state IN ('canceled', 'aborted', 'completed')"

void bind_record(SqliteUse& use, const Job& job) {
    use.bind(name_of(job.state)).bind(job.reason).bind(job.queue).bind(job.title).bind(job.user).bind(job.host);
    use.bind(job.door).bind(job.spool_file).bind_bytes_count(job.size_bytes);
    use.bind(std::int64_t{job.hold}).bind(job.hold_reason);
    use.bind_bytes_count(job.result_bytes).bind_bytes_count(job.sent_bytes).bind(std::int64_t{job.sending_begun});
    use.bind(std::int64_t{job.attempts}).bind(job.created_ms).bind(job.changed_ms).bind(job.not_before_ms);
    use.bind(std::int64_t{job.priority}).bind(job.rank).bind(job.note).bind(name_of(job.cause)).bind(job.cause_by);
    use.bind(job.since_ms);
}

// Nothing if the row holds what this program never writes.
std::optional<Job> read_record(SqliteUse& use) {
    Job job;
    job.id = JobId{use.next_number()};
    const auto state = parse_job_state(use.next_text());
    job.reason = use.next_text();
    job.queue = use.next_text();
    job.title = use.next_text();
    job.user = use.next_text();
    job.host = use.next_text();
    job.door = use.next_text();
    job.spool_file = use.next_text();
    const auto size_bytes = checked_cast<std::uint64_t>(use.next_number());
    job.hold = use.next_number() != 0;
    job.hold_reason = use.next_text();
    const auto result_bytes = checked_cast<std::uint64_t>(use.next_number());
    const auto sent_bytes = checked_cast<std::uint64_t>(use.next_number());
    job.sending_begun = use.next_number() != 0;
    const auto attempts = checked_cast<int>(use.next_number());
    job.created_ms = use.next_number();
    job.changed_ms = use.next_number();
    job.not_before_ms = use.next_number();
    const auto priority = checked_cast<int>(use.next_number());
    job.rank = use.next_number();
    job.note = use.next_text();
    const auto cause = parse_event(use.next_text());
    job.cause_by = use.next_text();
    job.since_ms = use.next_number();
    if (!state || !size_bytes || !result_bytes || !sent_bytes || !attempts || !priority || !cause) return std::nullopt;
    job.priority = *priority;
    job.cause = *cause;
    job.state = *state;
    job.size_bytes = *size_bytes;
    job.result_bytes = *result_bytes;
    job.sent_bytes = *sent_bytes;
    job.attempts = *attempts;
    return job;
}

std::string job_name(JobId id) {
    return "job " + std::to_string(id.value);
}

}  // namespace

Result<std::unique_ptr<SqliteJobStore>> SqliteJobStore::open(const std::string& path, const SqliteOptions& options) {
    auto db = SqliteDb::open(path, options);
    if (!db) return fail(db.error());
    if (auto ready = bring_schema_up_to_date(*db, schema_steps()); !ready) return fail(ready.error());
    std::unique_ptr<SqliteJobStore> store(new SqliteJobStore(std::move(*db)));
    if (auto ready = store->prepare_all(); !ready) return fail(ready.error());
    return store;
}

Result<void> SqliteJobStore::prepare_all() {
    const std::initializer_list<std::pair<SqliteStatement*, std::string_view>> statements{
        {&insert_, "INSERT INTO job (" OPISPOOL_JOB_COLUMNS
                   ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"},
        {&update_,
         "UPDATE job SET (" OPISPOOL_JOB_COLUMNS
         ") = (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) WHERE id = ? AND state = ?"},
        {&state_of_, "SELECT state FROM job WHERE id = ?"},
        {&delete_messages_, "DELETE FROM job_message WHERE job_id = ?"},
        {&insert_message_, "INSERT INTO job_message (job_id, position, text) VALUES (?, ?, ?)"},
        {&select_messages_, "SELECT text FROM job_message WHERE job_id = ? ORDER BY position"},
        {&insert_event_, "INSERT INTO job_event (job_id, event, actor, at_ms, detail) VALUES (?, ?, ?, ?, ?)"},
        {&select_events_, "SELECT event, actor, at_ms, detail FROM job_event WHERE job_id = ? ORDER BY id"},
        {&select_one_, "SELECT id, " OPISPOOL_JOB_COLUMNS " FROM job WHERE id = ?"},
        {&select_unfinished_, "SELECT id, " OPISPOOL_JOB_COLUMNS " FROM job WHERE " OPISPOOL_UNFINISHED " ORDER BY id"},
        {&select_finished_,
         "SELECT id, " OPISPOOL_JOB_COLUMNS " FROM job WHERE " OPISPOOL_FINISHED " ORDER BY id DESC LIMIT ?"},
        {&select_finished_of_queue_, "SELECT id, " OPISPOOL_JOB_COLUMNS " FROM job WHERE " OPISPOOL_FINISHED
                                     " AND queue = ? ORDER BY id DESC LIMIT ?"},
        {&delete_order_, "DELETE FROM queue_order WHERE queue = ? AND word = ?"},
        {&insert_order_, "INSERT INTO queue_order (queue, word, value, actor, at_ms) VALUES (?, ?, ?, ?, ?)"},
        {&select_orders_, "SELECT queue, word, value, actor, at_ms FROM queue_order ORDER BY queue, word"},
    };
    for (const auto& [statement, sql] : statements) {
        auto prepared = db_.prepare(sql);
        if (!prepared) return fail(prepared.error());
        *statement = std::move(*prepared);
    }
    return prepare_ledger();
}

Result<JobId> SqliteJobStore::insert(const Job& job) {
    Job stored = job;
    const auto done = in_one_commit([&]() -> Result<void> {
        SqliteUse use(insert_);
        bind_record(use, job);
        if (auto inserted = use.run(); !inserted) return inserted;
        stored.id = JobId{db_.last_insert_id()};
        return insert_messages(stored);
    });
    if (!done) return fail(done.error());
    return stored.id;
}

Result<void> SqliteJobStore::update(const Job& job, JobState expected) {
    return in_one_commit([&]() -> Result<void> {
        SqliteUse use(update_);
        bind_record(use, job);
        use.bind(job.id.value).bind(name_of(expected));
        if (auto updated = use.run(); !updated) return updated;
        if (db_.changed_rows() == 0) return explain_missed_update(job, expected);
        SqliteUse removal(delete_messages_);
        if (auto removed = removal.bind(job.id.value).run(); !removed) return removed;
        return insert_messages(job);
    });
}

Result<void> SqliteJobStore::explain_missed_update(const Job& job, JobState expected) {
    SqliteUse use(state_of_);
    const auto row = use.bind(job.id.value).step();
    if (!row) return fail(row.error());
    if (!*row)
        return fail(Code::not_found, Operation::store, job_name(job.id) + " is not in the job database", db_.path());
    return fail(Code::conflict, Operation::store,
                job_name(job.id) + " is " + use.next_text() + " in the job database, not " +
                    std::string(name_of(expected)) + "; somebody else changed it",
                db_.path());
}

Result<void> SqliteJobStore::insert_messages(const Job& job) {
    std::int64_t position = 0;
    for (const std::string& message : job.messages) {
        SqliteUse use(insert_message_);
        if (auto inserted = use.bind(job.id.value).bind(position++).bind(message).run(); !inserted) return inserted;
    }
    return {};
}

Result<std::vector<std::string>> SqliteJobStore::load_messages(JobId id) {
    std::vector<std::string> messages;
    SqliteUse use(select_messages_);
    use.bind(id.value);
    for (;;) {
        const auto row = use.step();
        if (!row) return fail(row.error());
        if (!*row) return messages;
        messages.push_back(use.next_text());
    }
}

Result<std::vector<Job>> SqliteJobStore::load_rows(SqliteUse& use) {
    std::vector<Job> jobs;
    for (;;) {
        const auto row = use.step();
        if (!row) return fail(row.error());
        if (!*row) return jobs;
        auto job = read_record(use);
        if (!job)
            return fail(Code::bad_syntax, Operation::store, "the job database holds a job that makes no sense",
                        db_.path());
        auto messages = load_messages(job->id);
        if (!messages) return fail(messages.error());
        job->messages = std::move(*messages);
        jobs.push_back(std::move(*job));
    }
}

Result<std::vector<Job>> SqliteJobStore::load_unfinished() {
    SqliteUse use(select_unfinished_);
    return load_rows(use);
}

Result<std::optional<Job>> SqliteJobStore::load(JobId id) {
    SqliteUse use(select_one_);
    use.bind(id.value);
    auto jobs = load_rows(use);
    if (!jobs) return fail(jobs.error());
    if (jobs->empty()) return std::optional<Job>{};
    return std::optional<Job>{std::move(jobs->front())};
}

Result<std::vector<Job>> SqliteJobStore::load_finished(const std::string& queue, std::size_t limit) {
    const std::int64_t row_limit = checked_cast<std::int64_t>(limit).value_or(std::numeric_limits<std::int64_t>::max());
    SqliteUse use(queue.empty() ? select_finished_ : select_finished_of_queue_);
    if (!queue.empty()) use.bind(queue);
    use.bind(row_limit);
    return load_rows(use);
}

Result<void> SqliteJobStore::record_event(const EventRecord& record) {
    return in_one_commit([&] {
        SqliteUse use(insert_event_);
        use.bind(record.job.value).bind(name_of(record.event)).bind(record.actor).bind(record.at_ms);
        return use.bind(record.detail).run();
    });
}

Result<std::vector<EventRecord>> SqliteJobStore::load_events(JobId id) {
    std::vector<EventRecord> events;
    SqliteUse use(select_events_);
    use.bind(id.value);
    for (;;) {
        const auto row = use.step();
        if (!row) return fail(row.error());
        if (!*row) return events;
        const auto event = parse_event(use.next_text());
        if (!event)
            return fail(Code::bad_syntax, Operation::store,
                        "the job database holds an unknown event of " + job_name(id), db_.path());
        EventRecord record{id, *event, use.next_text(), use.next_number(), {}};
        record.detail = use.next_text();
        events.push_back(std::move(record));
    }
}

Result<void> SqliteJobStore::save_order(const QueueOrder& order) {
    return in_one_commit([&]() -> Result<void> {
        if (auto removed = forget_order(order.queue, order.word); !removed) return removed;
        SqliteUse use(insert_order_);
        use.bind(order.queue).bind(name_of(order.word)).bind(order.value).bind(order.actor).bind(order.at_ms);
        return use.run();
    });
}

Result<void> SqliteJobStore::forget_order(const std::string& queue, QueueWord word) {
    return in_one_commit([&] {
        SqliteUse use(delete_order_);
        return use.bind(queue).bind(name_of(word)).run();
    });
}

Result<std::vector<QueueOrder>> SqliteJobStore::load_orders() {
    std::vector<QueueOrder> orders;
    SqliteUse use(select_orders_);
    for (;;) {
        const auto row = use.step();
        if (!row) return fail(row.error());
        if (!*row) return orders;
        QueueOrder order;
        order.queue = use.next_text();
        const auto word = parse_queue_word(use.next_text());
        if (!word)
            return fail(Code::bad_syntax, Operation::store, "the job database holds an order that makes no sense",
                        db_.path());
        order.word = *word;
        order.value = use.next_text();
        order.actor = use.next_text();
        order.at_ms = use.next_number();
        orders.push_back(std::move(order));
    }
}

Result<void> SqliteJobStore::in_one_commit(const std::function<Result<void>()>& steps) {
    // SQLite undoes a whole transaction by itself when the disk fails. What comes after belongs to nothing any more; if
    // it went on, some jobs would be stored although the outer call reports failure.
    if (depth_ > 0 && !db_.is_in_transaction())
        return fail(Code::io, Operation::store, "the changes before this one were undone after a disk error",
                    db_.path());

    struct Depth {
        int& value;
        explicit Depth(int& depth) : value(depth) { ++value; }
        ~Depth() { --value; }
    } const depth(depth_);
    SqliteTransaction transaction(db_);
    if (auto begun = transaction.begin(); !begun) return begun;
    if (auto done = steps(); !done) return done;
    if (!db_.is_in_transaction())
        return fail(Code::io, Operation::store, "the changes were undone after a disk error", db_.path());
    return transaction.commit();
}

}  // namespace opispool::queues
