// SPDX-License-Identifier: AGPL-3.0-or-later
// SqliteJobStore: the ledgers.
#include <bit>
#include <initializer_list>
#include <utility>

#include "base/text.h"
#include "queues/sqlite_job_store.h"

namespace opispool::queues {
namespace {

// The order in which save_ledger() writes and load_references() reads.
#define OPISPOOL_REFERENCE_COLUMNS                                                                \
    "page, line, asked, search, file, size_bytes, device, inode, mtime_ns, width_px, height_px, " \
    "ppi, colour, crop, bytes, problem"

// Device and inode numbers use all 64 bits; SQLite's are signed.
std::int64_t as_signed(std::uint64_t value) {
    return std::bit_cast<std::int64_t>(value);
}

std::uint64_t as_unsigned(std::int64_t value) {
    return std::bit_cast<std::uint64_t>(value);
}

LedgerEntry read_entry(SqliteUse& use) {
    LedgerEntry entry;
    entry.page = checked_cast<int>(use.next_number()).value_or(0);
    entry.line = as_unsigned(use.next_number());
    entry.asked = use.next_text();
    entry.search = use.next_text();
    entry.file = use.next_text();
    entry.size_bytes = as_unsigned(use.next_number());
    entry.device = as_unsigned(use.next_number());
    entry.inode = as_unsigned(use.next_number());
    entry.mtime_ns = use.next_number();
    entry.width_px = checked_cast<std::uint32_t>(use.next_number()).value_or(0);
    entry.height_px = checked_cast<std::uint32_t>(use.next_number()).value_or(0);
    entry.ppi = parse_real(use.next_text()).value_or(0);
    entry.colour = use.next_text();
    entry.crop = use.next_text();
    entry.bytes = as_unsigned(use.next_number());
    entry.problem = use.next_text();
    return entry;
}

}  // namespace

Result<void> SqliteJobStore::prepare_ledger() {
    const std::initializer_list<std::pair<SqliteStatement*, std::string_view>> statements{
        {&delete_ledger_, "DELETE FROM job_reference WHERE job_id = ? AND printing = ?"},
        {&shift_ledger_, "UPDATE job_reference SET printing = 1 WHERE job_id = ? AND printing = 0"},
        {&insert_reference_, "INSERT INTO job_reference (job_id, printing, position, " OPISPOOL_REFERENCE_COLUMNS
                             ") VALUES (?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"},
        {&select_references_, "SELECT " OPISPOOL_REFERENCE_COLUMNS
                              " FROM job_reference WHERE job_id = ? AND printing = ? ORDER BY position"},
    };
    for (const auto& [statement, sql] : statements) {
        auto prepared = db_.prepare(sql);
        if (!prepared) return fail(prepared.error());
        *statement = std::move(*prepared);
    }
    return {};
}

Result<void> SqliteJobStore::save_ledger(JobId id, const std::vector<LedgerEntry>& entries, bool redone) {
    return in_one_commit([&]() -> Result<void> {
        {
            SqliteUse removal(delete_ledger_);
            removal.bind(id.value).bind(std::int64_t{redone ? 1 : 0});
            if (auto removed = removal.run(); !removed) return removed;
        }
        if (redone) {
            SqliteUse shift(shift_ledger_);
            if (auto shifted = shift.bind(id.value).run(); !shifted) return shifted;
        }
        std::int64_t position = 0;
        for (const LedgerEntry& entry : entries) {
            const std::string ppi = format_real(entry.ppi);
            SqliteUse use(insert_reference_);
            use.bind(id.value).bind(position++).bind(std::int64_t{entry.page}).bind(as_signed(entry.line));
            use.bind(entry.asked).bind(entry.search).bind(entry.file).bind(as_signed(entry.size_bytes));
            use.bind(as_signed(entry.device)).bind(as_signed(entry.inode)).bind(entry.mtime_ns);
            use.bind(std::int64_t{entry.width_px}).bind(std::int64_t{entry.height_px}).bind(ppi);
            use.bind(entry.colour).bind(entry.crop).bind(as_signed(entry.bytes)).bind(entry.problem);
            if (auto inserted = use.run(); !inserted) return inserted;
        }
        return {};
    });
}

Result<std::vector<LedgerEntry>> SqliteJobStore::load_references(JobId id, int printing) {
    std::vector<LedgerEntry> entries;
    SqliteUse use(select_references_);
    use.bind(id.value).bind(std::int64_t{printing});
    for (;;) {
        const auto row = use.step();
        if (!row) return fail(row.error());
        if (!*row) return entries;
        entries.push_back(read_entry(use));
    }
}

Result<Ledger> SqliteJobStore::load_ledger(JobId id) {
    auto now = load_references(id, 0);
    if (!now) return fail(now.error());
    auto before = load_references(id, 1);
    if (!before) return fail(before.error());
    return Ledger{std::move(*now), std::move(*before)};
}

}  // namespace opispool::queues
