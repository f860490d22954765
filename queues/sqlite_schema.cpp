// SPDX-License-Identifier: AGPL-3.0-or-later
#include "queues/sqlite_schema.h"

#include <cstdint>
#include <string>

namespace opispool::queues {
namespace {

constexpr std::int64_t application_id = 0x4F504953;  // "OPIS"; tells our files from other programs' SQLite files

Result<void> check_owner(SqliteDb& db) {
    const auto owner = db.query_number("PRAGMA application_id");
    if (!owner) return fail(owner.error());
    if (*owner == application_id) return {};
    const auto tables = db.query_number("SELECT count(*) FROM sqlite_schema");
    if (!tables) return fail(tables.error());
    if (*owner == 0 && *tables == 0) return {};
    return fail(Code::not_permitted, Operation::open,
                "this is another program's database; give opispool a file of its own", db.path());
}

Result<void> apply_next_step(SqliteDb& db, std::int64_t version, std::string_view sql) {
    SqliteTransaction transaction(db);
    if (auto begun = transaction.begin(); !begun) return begun;
    // Read again under the write lock: somebody else may have been faster.
    const auto current = db.query_number("PRAGMA user_version");
    if (!current) return fail(current.error());
    if (*current != version)
        return fail(Code::conflict, Operation::open, "the database changed while being opened", db.path());
    if (auto done = db.execute(std::string(sql)); !done) return done;
    if (auto done = db.execute("PRAGMA user_version = " + std::to_string(version + 1)); !done) return done;
    if (auto done = db.execute("PRAGMA application_id = " + std::to_string(application_id)); !done) return done;
    return transaction.commit();
}

}  // namespace

Result<void> bring_schema_up_to_date(SqliteDb& db, std::span<const std::string_view> steps) {
    if (auto ours = check_owner(db); !ours) return ours;
    const auto version = db.query_number("PRAGMA user_version");
    if (!version) return fail(version.error());
    if (*version < 0 || static_cast<std::uint64_t>(*version) > steps.size())
        return fail(Code::unsupported, Operation::open,
                    "the job database has schema version " + std::to_string(*version) + ", this opispool knows up to " +
                        std::to_string(steps.size()) + "; run the newer opispool that wrote it",
                    db.path());
    for (auto next = static_cast<std::size_t>(*version); next < steps.size(); ++next)
        if (auto done = apply_next_step(db, static_cast<std::int64_t>(next), steps[next]); !done) return done;
    return {};
}

}  // namespace opispool::queues
