// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/typing/typed_column.h"
#include "storage/sqlite/database.h"
#include "storage/sqlite/statement.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cannery::data {

/// The rows of one SELECT statement of a database that is only read, in one transaction.
struct SqliteRows
{
    storage::Database database;
    storage::Statement statement;

    /// Opens the file and prepares the statement. Errors: "sqlite_source.not_a_database",
    /// "sqlite_source.damaged", "sqlite_source.query", a file that stays locked.
    static Result<SqliteRows> open(const std::string& file, const std::string& query);
    /// True: a row is available. Errors: a damaged file, a statement that fails.
    Result<bool> step();

    std::vector<std::string> columnNames() const;
    CellFault copyCell(int index, std::size_t row, TypedColumn& column) const;
    /// Sets `text` to a cell as it is stored; false if it is NULL.
    bool cellText(int index, std::string& text) const;
    /// Whether the cell is stored as a number.
    bool isNumber(int index) const;

    std::string file;
};

/// A database that is only read, in one transaction; with the errors of SqliteRows::open().
Result<storage::Database> openSqlite(const std::string& file);

} // namespace cannery::data
