// SPDX-License-Identifier: Apache-2.0
#include "core/data/sources/sqlite_tables.h"

#include "core/base/catalog.h"
#include "core/base/memory_guard.h"
#include "core/data/sources/sqlite_rows.h"

#include <fmt/core.h>

#include <algorithm>

namespace cannery::data {

namespace {

constexpr ErrorKind kNoTable{"sqlite_source.no_table", "{} has no table or view \"{}\".{}"};
constexpr ErrorKind kWhichTable{
    "sqlite_source.which_table",
    "{} has {} tables and views: name one with table, or write a query. They are: {}."};
constexpr ErrorKind kNoTables{"sqlite_source.no_tables",
                              "{} has no table. Name a database that has one."};
constexpr std::size_t kMostNames = 30;

/// "a, b, c", or the first of many.
std::string shortList(const std::vector<std::string>& names)
{
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), kMostNames); ++i) {
        text += (i == 0 ? "" : ", ") + names[i];
    }
    return names.size() > kMostNames ? text + ", …" : text;
}

/// The name as SQL quotes it.
std::string sqlQuoted(const std::string& name)
{
    std::string quoted = "\"";
    // A quotation mark within the name is doubled.
    for (const char letter : name) {
        quoted += letter == '"' ? "\"\"" : std::string(1, letter);
    }
    return quoted + "\"";
}

/// The table that the message names, or the only one.
Result<std::string> tableOf(const spec::SqliteSource& message, const std::string& file)
{
    CANNERY_TRY_ASSIGN(const std::vector<NamedTable> tables, sqliteTables(file));
    std::vector<std::string> names;
    for (const NamedTable& table : tables) {
        names.push_back(table.name);
    }
    if (!message.has_table()) {
        // A single table need not be named.
        return names.size() == 1 ? Result<std::string>(names.front())
               : names.empty()   ? fail(ErrorCode::InvalidArgument, kNoTables, file)
                                 : fail(ErrorCode::InvalidArgument, kWhichTable, file, names.size(),
                                        shortList(names));
    }
    if (std::find(names.begin(), names.end(), message.table()) == names.end()) {
        return fail(ErrorCode::NotFound, kNoTable, file, message.table(),
                    suggestion(message.table(), names));
    }
    return message.table();
}

} // namespace

Result<std::vector<NamedTable>> sqliteTables(const std::string& file)
{
    return guardMemory(file, [&]() -> Result<std::vector<NamedTable>> {
        CANNERY_TRY_ASSIGN(storage::Database database, openSqlite(file));
        std::vector<NamedTable> tables;
        {
            // Those of type "shadow" belong to a virtual table.
            // Tables of the library itself are not data.
            CANNERY_TRY_ASSIGN(storage::Statement list,
                               database.prepare("SELECT name FROM pragma_table_list "
                                                "WHERE schema = 'main' "
                                                "AND type IN ('table', 'view', 'virtual') "
                                                "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' "
                                                "ORDER BY name"));
            while (true) {
                CANNERY_TRY_ASSIGN(const bool isThere, list.step());
                if (!isThere) {
                    break;
                }
                tables.push_back({.name = list.text(0)});
            }
        }
        // Names of tables are put into the next statements.
        CANNERY_TRY(database.allowOnlySelect());
        for (NamedTable& table : tables) {
            const Result<storage::Statement> rows =
                database.prepare("SELECT * FROM " + sqlQuoted(table.name));
            // A view that is broken is listed without columns.
            for (int i = 0; rows && i < rows->columnCount(); ++i) {
                table.columns.push_back(rows->columnName(i));
            }
        }
        return tables;
    });
}

Result<std::uint64_t> sqliteRowCount(const std::string& file, const std::string& table)
{
    return guardMemory(file, [&]() -> Result<std::uint64_t> {
        CANNERY_TRY_ASSIGN(storage::Database database, openSqlite(file));
        CANNERY_TRY(database.allowOnlySelect());
        CANNERY_TRY_ASSIGN(
            const std::int64_t rows,
            // Counting ends at a limit, as a table may have billions of rows.
            database.queryInteger(fmt::format("SELECT count(*) FROM (SELECT 1 FROM {} LIMIT {})",
                                              sqlQuoted(table), kMostRowsCounted + 1)));
        return static_cast<std::uint64_t>(rows);
    });
}

Result<SqliteChoice> chosenRows(const spec::SqliteSource& message, const std::string& file)
{
    SqliteChoice choice;
    if (message.has_query()) {
        CANNERY_TRY_ASSIGN(const SqliteRows rows, SqliteRows::open(file, message.query()));
        choice.query = rows.statement.sql();
        // The query becomes part of others, where a semicolon would end it.
        const std::size_t end = choice.query.find_last_not_of("; \t\r\n");
        choice.query.resize(end == std::string::npos ? 0 : end + 1);
        return choice;
    }
    CANNERY_TRY_ASSIGN(const std::string name, tableOf(message, file));
    choice.query = "SELECT * FROM " + sqlQuoted(name);
    // Found only if it was not named, for the settings.
    choice.found = message.has_table() ? "" : name;
    return choice;
}

} // namespace cannery::data
