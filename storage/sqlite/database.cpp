#include "storage/sqlite/database.h"

#include "core/base/check.h"
#include "storage/sqlite/sqlite_error.h"

#include <sqlite3.h>

#include <chrono>
#include <string>
#include <thread>

namespace cannery::storage {
namespace {

constexpr ErrorKind kOutOfMemory{"sqlite.out_of_memory",
                                 "{} cannot be opened: there is not enough memory."};

constexpr int kBusyMilliseconds = 10'000;

int flagsOf(DatabaseMode mode)
{
    switch (mode) {
    case DatabaseMode::ReadOnly:
        return SQLITE_OPEN_READONLY;
    case DatabaseMode::ReadWrite:
        return SQLITE_OPEN_READWRITE;
    case DatabaseMode::ReadWriteCreate:
        return SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    }
    return 0;
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
    sqlite3* handle = nullptr;
    const int result =
        sqlite3_open_v2(path.c_str(), &handle, flagsOf(mode) | SQLITE_OPEN_NOMUTEX, nullptr);
    if (handle == nullptr) {
        return fail(ErrorCode::ResourceExhausted, kOutOfMemory, path.string());
    }
    Database database(handle);
    if (result != SQLITE_OK) {
        return tl::make_unexpected(sqliteError(handle, path.string()));
    }
    CANNERY_TRY(database.configure(mode, durability));
    return database;
}

Result<void> Database::configure(DatabaseMode mode, Durability durability)
{
    sqlite3_busy_timeout(m_database.get(), kBusyMilliseconds);
    sqlite3_extended_result_codes(m_database.get(), 1);
    CANNERY_TRY(execute("PRAGMA foreign_keys = ON"));
    CANNERY_TRY(execute("PRAGMA cell_size_check = ON")); // finds damaged pages before using them
    if (mode == DatabaseMode::ReadOnly) {
        return execute("PRAGMA query_only = ON");
    }
    // SQLite does not wait when two processes turn a fresh file into WAL mode at once.
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
    sqlite3_stmt* statement = nullptr;
    const int result = sqlite3_prepare_v2(m_database.get(), sql.data(),
                                          static_cast<int>(sql.size()), &statement, nullptr);
    if (result != SQLITE_OK) {
        return tl::make_unexpected(sqliteError(m_database.get()));
    }
    return Statement(statement);
}

Result<void> Database::transaction(const std::function<Result<void>()>& function)
{
    if (sqlite3_get_autocommit(m_database.get()) == 0) {
        return function();
    }
    // Taking the write lock at once lets the busy timeout work: a reader that becomes a writer
    // later is refused without waiting.
    CANNERY_TRY(execute("BEGIN IMMEDIATE"));
    Result<void> done = function();
    if (done) {
        done = execute("COMMIT");
    }
    if (!done && sqlite3_get_autocommit(m_database.get()) == 0) {
        sqlite3_exec(m_database.get(), "ROLLBACK", nullptr, nullptr, nullptr);
    }
    return done;
}

Result<std::int64_t> Database::queryInteger(std::string_view sql)
{
    CANNERY_TRY_ASSIGN(Statement statement, prepare(sql));
    CANNERY_TRY_ASSIGN(const bool hasRow, statement.step());
    CANNERY_CHECK(hasRow);
    return statement.integer(0);
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
