// SPDX-License-Identifier: AGPL-3.0-or-later
#include "queues/sqlite_db.h"

#include <sqlite3.h>

#include <cerrno>
#include <new>
#include <optional>

#include "base/text.h"

namespace opispool::queues {
namespace {

// SQLite keeps the errno of the last failed system call; what it says about a full disk is more exact than the code.
Error disk_error(sqlite3* db, std::string_view message, Operation operation, const std::string& path) {
    const int system_errno = db != nullptr ? sqlite3_system_errno(db) : 0;
    if (system_errno != 0) {
        Error error = error_from_errno(system_errno, operation, path);
        error.text = "the job database: " + error.text + " (" + std::string(message) + ")";
        return error;
    }
    return Error{Code::io, operation, "the job database: " + std::string(message), path, std::nullopt};
}

Error sqlite_error(int result_code, sqlite3* db, Operation operation, const std::string& path) {
    const std::string message = db != nullptr ? sqlite3_errmsg(db) : sqlite3_errstr(result_code);
    const auto error = [&](Code code, const std::string& text) {
        return Error{code, operation, text + " (" + message + ")", path, std::nullopt};
    };
    switch (result_code & 0xFF) {
        case SQLITE_NOMEM:
            throw std::bad_alloc();
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return error(Code::timeout, "the job database is locked by another program; close that program");
        case SQLITE_READONLY:
        case SQLITE_PERM:
        case SQLITE_AUTH:
            return error(Code::not_permitted, "the job database can't be written; check its permissions");
        case SQLITE_FULL:
            return error(Code::no_space, "no room for the job database; free some disk space");
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
            return error(Code::io,
                         "the job database is damaged; move it aside, or put back a copy of it, and start again");
        case SQLITE_TOOBIG:
            return error(Code::too_large, "a text is too long for the job database");
        case SQLITE_CANTOPEN:
        case SQLITE_IOERR:
            return disk_error(db, message, operation, path);
        default:
            return error(Code::internal, "the job database refused a statement");
    }
}

Error error_of(sqlite3* db, int result_code, Operation operation = Operation::store) {
    const char* path = sqlite3_db_filename(db, "main");
    return sqlite_error(result_code, db, operation, path != nullptr ? path : "");
}

}  // namespace

void SqliteStatement::Finalize::operator()(sqlite3_stmt* statement) const {
    sqlite3_finalize(statement);
}

void SqliteDb::Close::operator()(sqlite3* db) const {
    sqlite3_close(db);
}

Result<SqliteDb> SqliteDb::open(const std::string& path, const SqliteOptions& options) {
    sqlite3* handle = nullptr;
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    const int opened =
        sqlite3_open_v2(path.c_str(), &handle, flags, options.vfs.empty() ? nullptr : options.vfs.c_str());
    SqliteDb db(handle, path);  // SQLite gives a handle to close even when it could not open
    if (opened != SQLITE_OK) return fail(sqlite_error(opened, handle, Operation::open, path));
    if (auto ready = db.set_up(options); !ready) {
        Error error = ready.error();
        error.operation = Operation::open;
        return fail(std::move(error));
    }
    return db;
}

Result<void> SqliteDb::set_up(const SqliteOptions& options) {
    // SQLite falls back to reading when it may not write, and would say so only at the first job.
    if (sqlite3_db_readonly(handle_.get(), "main") == 1)
        return fail(sqlite_error(SQLITE_READONLY, nullptr, Operation::open, path_));
    sqlite3_busy_timeout(handle_.get(), options.busy_timeout_ms);

    auto journal = prepare("PRAGMA journal_mode = WAL");
    if (!journal) return fail(journal.error());
    SqliteUse use(*journal);
    const auto row = use.step();
    if (!row) return fail(row.error());
    const std::string mode = *row ? use.next_text() : "unknown";
    if (mode != "wal")
        return fail(
            Code::unsupported, Operation::open,
            "the job database can't keep a write-ahead log here (journal mode " + mode + "); put it on a local disk",
            path_);
    return execute("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
}

Result<void> SqliteDb::execute(const std::string& sql) {
    const int result = sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr);
    if (result != SQLITE_OK) return fail(error_of(handle_.get(), result));
    return {};
}

Result<SqliteStatement> SqliteDb::prepare(std::string_view sql) {
    const auto length = checked_cast<int>(sql.size());
    if (!length) return fail(Code::too_large, Operation::store, "a statement is too long", path_);
    sqlite3_stmt* handle = nullptr;
    const int result =
        sqlite3_prepare_v3(handle_.get(), sql.data(), *length, SQLITE_PREPARE_PERSISTENT, &handle, nullptr);
    if (result != SQLITE_OK) return fail(error_of(handle_.get(), result));
    SqliteStatement statement;
    statement.handle_.reset(handle);
    return statement;
}

Result<std::int64_t> SqliteDb::query_number(std::string_view sql) {
    auto statement = prepare(sql);
    if (!statement) return fail(statement.error());
    SqliteUse use(*statement);
    const auto row = use.step();
    if (!row) return fail(row.error());
    return *row ? use.next_number() : 0;
}

std::int64_t SqliteDb::last_insert_id() const {
    return sqlite3_last_insert_rowid(handle_.get());
}

std::int64_t SqliteDb::changed_rows() const {
    return sqlite3_changes64(handle_.get());
}

bool SqliteDb::is_in_transaction() const {
    return sqlite3_get_autocommit(handle_.get()) == 0;
}

SqliteUse::~SqliteUse() {
    sqlite3_reset(handle_);
    sqlite3_clear_bindings(handle_);
}

void SqliteUse::note(int result_code) {
    if (result_code != SQLITE_OK && bound_) bound_ = fail(error_of(sqlite3_db_handle(handle_), result_code));
}

SqliteUse& SqliteUse::bind(std::int64_t value) {
    note(sqlite3_bind_int64(handle_, next_parameter_++, value));
    return *this;
}

SqliteUse& SqliteUse::bind_bytes_count(std::uint64_t value) {
    const auto number = checked_cast<std::int64_t>(value);
    if (!number && bound_) bound_ = fail(Code::too_large, Operation::store, "a size is over 2^63 - 1 bytes");
    return bind(number.value_or(0));
}

SqliteUse& SqliteUse::bind(std::string_view text) {
    // An empty view may hold a null pointer, which SQLite would take for NULL.
    const char* bytes = text.empty() ? "" : text.data();
    note(sqlite3_bind_text64(handle_, next_parameter_++, bytes, text.size(), SQLITE_STATIC, SQLITE_UTF8));
    return *this;
}

Result<bool> SqliteUse::step() {
    if (!bound_) return fail(bound_.error());
    next_column_ = 0;
    const int result = sqlite3_step(handle_);
    if (result == SQLITE_ROW) return true;
    if (result == SQLITE_DONE) return false;
    return fail(error_of(sqlite3_db_handle(handle_), result));
}

Result<void> SqliteUse::run() {
    const auto row = step();
    if (!row) return fail(row.error());
    return {};
}

std::int64_t SqliteUse::next_number() {
    return sqlite3_column_int64(handle_, next_column_++);
}

std::string SqliteUse::next_text() {
    const int column = next_column_++;
    const unsigned char* bytes = sqlite3_column_text(handle_, column);
    const int length = sqlite3_column_bytes(handle_, column);
    if (bytes == nullptr || length <= 0) return {};
    return std::string(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(length));
}

SqliteTransaction::~SqliteTransaction() {
    if (!open_ || !db_.is_in_transaction()) return;
    // Undoing is all that can be done here; if even this fails, the next begin() finds the transaction and says so.
    if (is_savepoint_)
        static_cast<void>(db_.execute("ROLLBACK TO step; RELEASE step"));
    else
        static_cast<void>(db_.execute("ROLLBACK"));
}

Result<void> SqliteTransaction::begin() {
    is_savepoint_ = db_.is_in_transaction();
    auto begun = db_.execute(is_savepoint_ ? "SAVEPOINT step" : "BEGIN IMMEDIATE");
    open_ = begun.has_value();
    return begun;
}

Result<void> SqliteTransaction::commit() {
    auto committed = db_.execute(is_savepoint_ ? "RELEASE step" : "COMMIT");
    if (committed) open_ = false;
    return committed;
}

}  // namespace opispool::queues
