// SPDX-License-Identifier: Apache-2.0
#include "core/data/sources/sqlite_rows.h"

#include <utility>

namespace cannery::data {

namespace {

using storage::StoredKind;

constexpr ErrorKind kNotADatabase{
    "sqlite_source.not_a_database",
    "{} is not a SQLite database, is encrypted, or is damaged. Name the file that SQLite wrote."};
constexpr ErrorKind kDamaged{
    "sqlite_source.damaged",
    "{} is damaged, or was cut off: {}. Copy it again, or save what is left of it with: sqlite3 "
    "'{}' .recover"};
constexpr ErrorKind kBadQuery{"sqlite_source.query",
                              "{}: the query cannot be used: {}. It must be one SELECT statement "
                              "that reads tables of this file."};

/// The engine's words about a run store are wrong for other databases.
Error inOtherWords(Error error, const std::string& file)
{
    if (error.id == "sqlite.corrupt") {
        const std::string& message = error.arguments.back();
        const bool isOther = message.find("not a database") != std::string::npos;
        return isOther ? cannery::error(ErrorCode::DataLoss, kNotADatabase, file)
                       : cannery::error(ErrorCode::DataLoss, kDamaged, file, message, file);
    }
    if (error.id == "sqlite.one_statement") {
        return cannery::error(ErrorCode::InvalidArgument, kBadQuery, file,
                              error.arguments.back() == "none" ? "it is empty"
                                                               : "it holds several statements");
    }
    if (error.id == "sqlite.failed") {
        return cannery::error(ErrorCode::InvalidArgument, kBadQuery, file,
                              error.arguments.empty() ? error.sentence : error.arguments.back());
    }
    // Others, such as a locked file, need no other words.
    return error;
}

} // namespace

Result<storage::Database> openSqlite(const std::string& file)
{
    Result<storage::Database> database = storage::Database::openToRead(file);
    return database ? std::move(database)
                    : tl::make_unexpected(inOtherWords(std::move(database).error(), file));
}

Result<SqliteRows> SqliteRows::open(const std::string& file, const std::string& query)
{
    CANNERY_TRY_ASSIGN(storage::Database database, openSqlite(file));
    // A query of an experiment from elsewhere must not write, or attach other files.
    CANNERY_TRY(database.allowOnlySelect());
    Result<storage::Statement> statement = database.prepare(query);
    if (!statement) {
        return tl::make_unexpected(inOtherWords(std::move(statement).error(), file));
    }
    return SqliteRows{std::move(database), std::move(*statement), file};
}

Result<bool> SqliteRows::step()
{
    Result<bool> stepped = statement.step();
    if (!stepped) {
        return tl::make_unexpected(inOtherWords(std::move(stepped).error(), file));
    }
    return stepped;
}

/// Asked before the first row, as an empty table has columns, too.
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
        // NULL is a missing value whatever the column holds.
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
    // Bytes may be a text all the same.
    case StoredKind::Blob:
        text = statement.bytes(index);
        return true;
    case StoredKind::Null:
        break;
    }
    return false;
}

} // namespace cannery::data
