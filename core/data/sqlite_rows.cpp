// SPDX-License-Identifier: Apache-2.0
#include "core/data/sqlite_rows.h"

#include <utility>

namespace cannery::data {

namespace {

using storage::StoredKind;

constexpr ErrorKind kNotADatabase{
    "sqlite_source.not_a_database",
    "{} is not a SQLite database, is encrypted, or is damaged. Name the file that SQLite wrote."};
constexpr ErrorKind kBadQuery{"sqlite_source.query",
                              "{}: the query cannot be used: {}. It must be one SELECT statement "
                              "that reads tables of this file."};

/// The engine's words about a run store are wrong for other databases.
Error inOtherWords(Error error, const std::string& file)
{
    if (error.id == "sqlite.corrupt") {
        return cannery::error(ErrorCode::DataLoss, kNotADatabase, file);
    }
    if (error.id == "sqlite.failed") {
        return cannery::error(ErrorCode::InvalidArgument, kBadQuery, file,
                              error.arguments.empty() ? error.sentence : error.arguments.back());
    }
    return error;
}

} // namespace

Result<SqliteRows> SqliteRows::open(const std::string& file, const std::string& query)
{
    Result<storage::Database> database = storage::Database::openAsItStands(file);
    if (!database) {
        return tl::make_unexpected(inOtherWords(std::move(database).error(), file));
    }
    CANNERY_TRY(database->allowOnlySelect());
    Result<storage::Statement> statement = database->prepare(query);
    if (!statement) {
        return tl::make_unexpected(inOtherWords(std::move(statement).error(), file));
    }
    return SqliteRows{std::move(*database), std::move(*statement), file};
}

Result<bool> SqliteRows::step()
{
    Result<bool> stepped = statement.step();
    if (!stepped) {
        return tl::make_unexpected(inOtherWords(std::move(stepped).error(), file));
    }
    return stepped;
}

std::vector<std::string> SqliteRows::columnNames() const
{
    std::vector<std::string> names;
    for (int i = 0; i < statement.columnCount(); ++i) {
        names.push_back(statement.columnName(i));
    }
    return names;
}

CellFault SqliteRows::copyCell(int index, std::size_t row, TypedColumn& column) const
{
    switch (statement.kind(index)) {
    case StoredKind::Integer:
        return column.setInteger(row, statement.integer(index));
    case StoredKind::Real:
        return column.setDouble(row, statement.real(index));
    case StoredKind::Text:
    case StoredKind::Blob:
        return column.setText(row, statement.bytes(index));
    case StoredKind::Null:
        break;
    }
    column.setMissing(row);
    return CellFault::None;
}

bool SqliteRows::isNumber(int index) const
{
    const StoredKind kind = statement.kind(index);
    return kind == StoredKind::Integer || kind == StoredKind::Real;
}

bool SqliteRows::cellText(int index, std::string& text) const
{
    text.clear();
    switch (statement.kind(index)) {
    case StoredKind::Integer:
        appendNumber(text, statement.integer(index));
        return true;
    case StoredKind::Real:
        appendNumber(text, statement.real(index));
        return true;
    case StoredKind::Text:
    case StoredKind::Blob:
        text = statement.bytes(index);
        return true;
    case StoredKind::Null:
        break;
    }
    return false;
}

Result<std::vector<std::string>> sqliteTables(const std::string& file)
{
    CANNERY_TRY_ASSIGN(SqliteRows rows,
                       SqliteRows::open(file, "SELECT name FROM sqlite_master WHERE type IN "
                                              "('table', 'view') AND name NOT LIKE 'sqlite\\_%' "
                                              "ESCAPE '\\' ORDER BY name"));
    std::vector<std::string> names;
    while (true) {
        CANNERY_TRY_ASSIGN(const bool isThere, rows.step());
        if (!isThere) {
            return names;
        }
        names.push_back(rows.statement.text(0));
    }
}

std::string sqlQuoted(const std::string& name)
{
    std::string quoted = "\"";
    for (const char letter : name) {
        quoted += letter == '"' ? "\"\"" : std::string(1, letter);
    }
    return quoted + "\"";
}

} // namespace cannery::data
