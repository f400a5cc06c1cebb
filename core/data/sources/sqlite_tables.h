// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/sources/data_source_catalog.h"
#include "core/spec/data.pb.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cannery::data {

/// The tables and views of a database, without those that SQLite keeps for itself.
Result<std::vector<NamedTable>> sqliteTables(const std::string& file);

/// The number of rows of a table or view, or kMostRowsCounted + 1.
Result<std::uint64_t> sqliteRowCount(const std::string& file, const std::string& table);

/// What a source selects from its database.
struct SqliteChoice
{
    std::string query; ///< one SELECT statement
    std::string found; ///< the table, if the message names none
};

/// The query or the table of the message, or the only table. Errors: "sqlite_source.no_table",
/// "sqlite_source.which_table", "sqlite_source.no_tables", "sqlite_source.query".
Result<SqliteChoice> chosenRows(const spec::SqliteSource& message, const std::string& file);

} // namespace cannery::data
