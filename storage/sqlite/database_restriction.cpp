// SPDX-License-Identifier: Apache-2.0
#include "core/base/interruption.h"
#include "storage/sqlite/database.h"
#include "storage/sqlite/sqlite_error.h"

#include <sqlite3.h>

#include <string_view>

namespace cannery::storage {
namespace {

/// Of one text or BLOB, and of a row.
constexpr int kMostCellBytes = 64 << 20;
constexpr int kMostStatementBytes = 1 << 20;
constexpr int kMostColumns = 32766;
/// Steps of SQLite's machine between two looks at the interruption: some milliseconds.
constexpr int kStepsBetweenLooks = 100'000;

int authorize(void* /*unused*/, int action, const char* /*first*/, const char* second,
              const char* /*database*/, const char* /*trigger*/)
{
    switch (action) {
    // A SELECT and what it consists of; everything else could write, attach a file or change a
    // setting.
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
        return SQLITE_OK;
    // The only function that could load a library.
    case SQLITE_FUNCTION:
        return second != nullptr && std::string_view(second) == "load_extension" ? SQLITE_DENY
                                                                                 : SQLITE_OK;
    default:
        return SQLITE_DENY;
    }
}

int lookForInterruption(void* /*unused*/)
{
    return goOnUnlessInterrupted() ? 0 : 1;
}

} // namespace

Result<void> Database::allowOnlySelect()
{
    sqlite3* database = m_database.get();
    // A stranger's file may define views and generated columns that call functions with side
    // effects.
    sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_limit(database, SQLITE_LIMIT_LENGTH, kMostCellBytes);
    sqlite3_limit(database, SQLITE_LIMIT_SQL_LENGTH, kMostStatementBytes);
    sqlite3_limit(database, SQLITE_LIMIT_COLUMN, kMostColumns);
    sqlite3_progress_handler(database, kStepsBetweenLooks, lookForInterruption, nullptr);
    if (sqlite3_set_authorizer(database, authorize, nullptr) != SQLITE_OK) {
        return tl::make_unexpected(sqliteError(database));
    }
    return {};
}

} // namespace cannery::storage
