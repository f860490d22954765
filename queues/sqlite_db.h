// SPDX-License-Identifier: AGPL-3.0-or-later
// RAII around SQLite: a connection, a prepared statement, one use of a statement, a transaction. SQLite's errors become
// ours here and nowhere else.
//   thread  a connection and its statements may move between threads but are used by one at a time
//   errors  timeout (locked by another process), not_permitted (read-only), no_space, not_found (no such folder),
//           io (damaged file, or the disk fails), internal; `where` is the database file
//   out of memory throws std::bad_alloc
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace opispool::queues {

struct SqliteOptions {
    int busy_timeout_ms = 5'000;  // how long to wait for another process, e.g. somebody's sqlite3 shell
    std::string vfs;              // SQLite's way to the disk; empty is the default, tests put a faulty one in
};

class SqliteStatement {
  public:
    SqliteStatement() = default;

  private:
    friend class SqliteDb;
    friend class SqliteUse;
    struct Finalize {
        void operator()(sqlite3_stmt* statement) const;
    };
    std::unique_ptr<sqlite3_stmt, Finalize> handle_;
};

class SqliteDb {
  public:
    // Opens or creates the file: WAL, every commit flushed to the disk (synchronous=FULL), foreign keys checked.
    static Result<SqliteDb> open(const std::string& path, const SqliteOptions& options);

    // One or more statements without results.
    Result<void> execute(const std::string& sql);
    // The statement must be destroyed before the connection.
    Result<SqliteStatement> prepare(std::string_view sql);
    // The first column of the first row; 0 if there is none.
    Result<std::int64_t> query_number(std::string_view sql);

    std::int64_t last_insert_id() const;
    std::int64_t changed_rows() const;  // by the last INSERT, UPDATE or DELETE
    // False also after SQLite undid a transaction by itself (disk full, I/O error): what follows would be on its own.
    bool is_in_transaction() const;
    const std::string& path() const { return path_; }

  private:
    struct Close {
        void operator()(sqlite3* db) const;
    };
    SqliteDb(sqlite3* db, std::string path) : handle_(db), path_(std::move(path)) {}
    Result<void> set_up(const SqliteOptions& options);

    std::unique_ptr<sqlite3, Close> handle_;
    std::string path_;
};

// One use of a prepared statement: bind, step, read columns; reset at the end, so that no read lock stays behind.
// A failed bind is reported by the next step().
class SqliteUse {
  public:
    explicit SqliteUse(SqliteStatement& statement) : handle_(statement.handle_.get()) {}
    SqliteUse(const SqliteUse&) = delete;
    SqliteUse& operator=(const SqliteUse&) = delete;
    ~SqliteUse();

    // Values in the order of the statement's question marks. The bytes of a text must live until the end of the use.
    SqliteUse& bind(std::int64_t value);
    SqliteUse& bind_bytes_count(std::uint64_t value);  // errors  too_large over 2^63 - 1
    SqliteUse& bind(std::string_view text);

    // True if there is a row.
    Result<bool> step();
    // For statements without rows.
    Result<void> run();

    // Columns of the row, in order.
    std::int64_t next_number();
    std::string next_text();

  private:
    void note(int result_code);

    sqlite3_stmt* handle_;
    int next_parameter_ = 1;
    int next_column_ = 0;
    Result<void> bound_;
};

// A write transaction; rolled back at the end of its life unless committed.
class SqliteTransaction {
  public:
    explicit SqliteTransaction(SqliteDb& db) : db_(db) {}
    SqliteTransaction(const SqliteTransaction&) = delete;
    SqliteTransaction& operator=(const SqliteTransaction&) = delete;
    ~SqliteTransaction();
    // Takes the write lock at once, so that a busy database is found here and not in the middle. Inside another
    // transaction it is a savepoint.
    Result<void> begin();
    // Returns after the flush, unless it is a savepoint.
    Result<void> commit();

  private:
    SqliteDb& db_;
    bool open_ = false;
    bool is_savepoint_ = false;
};

}  // namespace opispool::queues
