// SPDX-License-Identifier: Apache-2.0
#include "storage/sqlite/database.h"

#include "core/base/check.h"
#include "storage/io/confinement.h"
#include "storage/io/file_error.h"
#include "storage/sqlite/page_checksums.h"
#include "storage/sqlite/sqlite_error.h"

#include <sqlite3.h>

#include <cerrno>
#include <chrono>
#include <string>
#include <thread>

namespace cannery::storage {
namespace {

constexpr ErrorKind kOutOfMemory{"sqlite.out_of_memory",
                                 "{} cannot be opened: there is not enough memory."};
constexpr ErrorKind kOneStatement{"sqlite.one_statement",
                                  "{}: there must be one statement, not {}."};

constexpr int kBusyMilliseconds = 10'000;

int flagsOf(DatabaseMode mode)
{
    switch (mode) {
    case DatabaseMode::ReadOnly:
        return SQLITE_OPEN_READONLY;
    case DatabaseMode::ReadWrite:
    case DatabaseMode::Repair:
        return SQLITE_OPEN_READWRITE;
    case DatabaseMode::ReadWriteCreate:
        return SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    }
    return 0;
}

/// At the end of every page.
int reservedBytes(sqlite3* database)
{
    int bytes = -1; // only queries
    sqlite3_file_control(database, "main", SQLITE_FCNTL_RESERVE_BYTES, &bytes);
    return bytes;
}

void setReservedBytes(sqlite3* database, int bytes)
{
    sqlite3_file_control(database, "main", SQLITE_FCNTL_RESERVE_BYTES, &bytes);
}

} // namespace

void Database::Closer::operator()(sqlite3* database) const
{
    sqlite3_close_v2(database);
}

Database::Database(sqlite3* owned) : m_database(owned) {}

Result<Database> Database::open(const std::filesystem::path& path, DatabaseMode mode,
                                Durability durability)
{
    CANNERY_TRY_ASSIGN(Database database, openFile(path.string(), flagsOf(mode)));
    if (mode != DatabaseMode::ReadOnly) {
        CANNERY_TRY(database.requireWritable());
        CANNERY_TRY(database.configure(mode, durability));
        return database;
    }
    CANNERY_TRY(database.configure(mode, durability));
    // The log and its index are opened by the first read, which needs a folder to create them in.
    const Result<std::int64_t> looked = database.queryInteger("PRAGMA schema_version");
    if (!looked && isRefusedByDisk(looked.error())) {
        return openAsItStands(path);
    }
    return database; // other problems are reported by the reader
}

Result<Database> Database::openFile(const std::string& name, int flags)
{
    struct stat status = {};
    // A link could lead out of the run's folder.
    if (lstatConfined(name, status) == 0 && S_ISLNK(status.st_mode)) {
        return tl::make_unexpected(fileError("open", name, ELOOP));
    }
    sqlite3* handle = nullptr;
    const int result =
        sqlite3_open_v2(name.c_str(), &handle, flags | SQLITE_OPEN_NOMUTEX, pageChecksumVfs());
    if (handle == nullptr) {
        return fail(ErrorCode::ResourceExhausted, kOutOfMemory, name);
    }
    Database database(handle);
    if (result != SQLITE_OK) {
        return tl::make_unexpected(sqliteError(handle, name));
    }
    return database;
}

/// SQLite silently falls back to read-only if a file cannot be written.
Result<void> Database::requireWritable()
{
    if (sqlite3_db_readonly(m_database.get(), "main") == 1) {
        return tl::make_unexpected(readOnlyError(m_database.get()));
    }
    return {};
}

Result<void> Database::configure(DatabaseMode mode, Durability durability)
{
    sqlite3_busy_timeout(m_database.get(), kBusyMilliseconds);
    sqlite3_extended_result_codes(m_database.get(), 1);
    CANNERY_TRY(execute("PRAGMA foreign_keys = ON"));
    CANNERY_TRY(execute("PRAGMA cell_size_check = ON")); // detects damaged pages before using them
    if (mode == DatabaseMode::Repair) {
        believeDamagedPages(m_database.get());
    }
    if (mode == DatabaseMode::ReadWriteCreate) {
        CANNERY_TRY(reserveForChecksums());
    }
    if (mode == DatabaseMode::ReadOnly) {
        return execute("PRAGMA query_only = ON");
    }
    // SQLite does not wait if two processes switch a new file to WAL mode at the same time.
    const auto deadline =
        std::chrono::steady_clock::now() + std::chrono::milliseconds(kBusyMilliseconds);
    while (true) {
        const Result<void> changed = execute("PRAGMA journal_mode = WAL");
        if (changed || changed.error().id != "sqlite.locked" ||
            std::chrono::steady_clock::now() > deadline) {
            CANNERY_TRY(changed);
            break;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return execute(durability == Durability::Full ? "PRAGMA synchronous = FULL"
                                                  : "PRAGMA synchronous = NORMAL");
}

Result<void> Database::execute(std::string_view sql)
{
    const std::string terminated(sql);
    if (sqlite3_exec(m_database.get(), terminated.c_str(), nullptr, nullptr, nullptr) !=
        SQLITE_OK) {
        return tl::make_unexpected(sqliteError(m_database.get()));
    }
    return {};
}

Result<Statement> Database::prepare(std::string_view sql)
{
    sqlite3_stmt* handle = nullptr;
    const char* behind = nullptr;
    if (sqlite3_prepare_v2(m_database.get(), sql.data(), static_cast<int>(sql.size()), &handle,
                           &behind) != SQLITE_OK) {
        return tl::make_unexpected(sqliteError(m_database.get()));
    }
    Statement statement(handle);
    if (handle == nullptr) {
        return fail(ErrorCode::InvalidArgument, kOneStatement, path().string(), "none");
    }
    // What follows may be blanks and comments. SQLite would ignore another statement silently.
    const std::string_view rest = sql.substr(static_cast<std::size_t>(behind - sql.data()));
    sqlite3_stmt* second = nullptr;
    const int result = sqlite3_prepare_v2(m_database.get(), rest.data(),
                                          static_cast<int>(rest.size()), &second, nullptr);
    const bool isOver = result == SQLITE_OK && second == nullptr;
    sqlite3_finalize(second);
    if (result != SQLITE_OK &&
        result != SQLITE_ERROR) { // not what is written there, but the system
        return tl::make_unexpected(sqliteError(m_database.get()));
    }
    return isOver ? Result<Statement>(std::move(statement))
                  : fail(ErrorCode::InvalidArgument, kOneStatement, path().string(), "several");
}

Result<void> Database::transaction(const std::function<Result<void>()>& function)
{
    if (m_isInTransaction) {
        return function();
    }
    // Memory may have run out during the last one, and again during rollback.
    if (sqlite3_get_autocommit(m_database.get()) == 0) {
        CANNERY_TRY(execute("ROLLBACK"));
    }
    // Taking the write lock immediately lets the busy timeout work: a reader that upgrades to a
    // writer later is refused without waiting.
    CANNERY_TRY(execute("BEGIN IMMEDIATE"));
    const Transaction begun(*this);
    Result<void> done = function();
    if (done) {
        done = execute("COMMIT");
    }
    return done;
}

Database::Transaction::Transaction(Database& database) : m_owner(database)
{
    m_owner.m_isInTransaction = true;
}

Database::Transaction::~Transaction()
{
    m_owner.m_isInTransaction = false;
    if (sqlite3_get_autocommit(m_owner.m_database.get()) == 0) {
        sqlite3_exec(m_owner.m_database.get(), "ROLLBACK", nullptr, nullptr, nullptr);
    }
}

Result<std::int64_t> Database::queryInteger(std::string_view sql)
{
    CANNERY_TRY_ASSIGN(Statement statement, prepare(sql));
    CANNERY_TRY_ASSIGN(const bool hasRow, statement.step());
    CANNERY_CHECK(hasRow);
    return statement.integer(0);
}

/// For a file that is still to be created.
Result<void> Database::reserveForChecksums()
{
    // The size of a page's reserved end can only be chosen while the file is empty.
    CANNERY_TRY_ASSIGN(const std::int64_t pages, queryInteger("PRAGMA page_count"));
    if (pages == 0) {
        setReservedBytes(m_database.get(), kPageChecksumBytes);
    }
    return {};
}

Result<void> Database::requirePageChecksums()
{
    CANNERY_TRY(queryInteger("PRAGMA schema_version")); // reads the header
    if (reservedBytes(m_database.get()) != kPageChecksumBytes) {
        return tl::make_unexpected(corruptError(m_database.get(), "its header was changed"));
    }
    return {};
}

Result<void> Database::addPageChecksums()
{
    if (requirePageChecksums()) {
        return {};
    }
    setReservedBytes(m_database.get(), kPageChecksumBytes);
    // Only rewriting every page makes room at its end.
    return execute("VACUUM");
}

Result<void> Database::checkIntegrity()
{
    CANNERY_TRY_ASSIGN(Statement check, prepare("PRAGMA integrity_check(1)"));
    CANNERY_TRY_ASSIGN(const bool hasRow, check.step());
    // One finding is enough to call the file damaged.
    if (!hasRow || check.text(0) != "ok") {
        return tl::make_unexpected(
            corruptError(m_database.get(), hasRow ? check.text(0) : "it cannot be checked"));
    }
    return {};
}

Result<void> Database::replaceWith(Database& other)
{
    sqlite3_backup* backup =
        sqlite3_backup_init(m_database.get(), "main", other.m_database.get(), "main");
    if (backup == nullptr) {
        return tl::make_unexpected(sqliteError(m_database.get()));
    }
    constexpr int kAllPages = -1;
    sqlite3_backup_step(backup, kAllPages);
    // Also reports what the step could not do.
    if (sqlite3_backup_finish(backup) != SQLITE_OK) {
        return tl::make_unexpected(sqliteError(m_database.get()));
    }
    return {};
}

Error Database::corrupt(const std::string& reason) const
{
    return corruptError(m_database.get(), reason);
}

std::int64_t Database::lastInsertId() const
{
    return sqlite3_last_insert_rowid(m_database.get());
}

std::int64_t Database::changes() const
{
    return sqlite3_changes64(m_database.get());
}

std::filesystem::path Database::path() const
{
    const char* name = sqlite3_db_filename(m_database.get(), "main");
    return name == nullptr ? "" : name;
}

} // namespace cannery::storage
