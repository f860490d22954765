// SPDX-License-Identifier: AGPL-3.0-or-later
// The shape of the job database and how an older file is brought to it. One numbered file in queues/schema/ per step;
// the database's user_version says how many of them it has seen.
#pragma once

#include <span>
#include <string_view>

#include "base/result.h"
#include "queues/sqlite_db.h"

namespace opispool::queues {

// The text of schema/0001_*.sql, 0002_*.sql, ...; put into the program at build time.
std::span<const std::string_view> schema_steps();

// Applies the steps the database has not seen, each in a transaction of its own.
//   errors  unsupported: written by a newer opispool; not_permitted: another program's database; those of SqliteDb
Result<void> bring_schema_up_to_date(SqliteDb& db, std::span<const std::string_view> steps);

}  // namespace opispool::queues
