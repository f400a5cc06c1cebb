// SPDX-License-Identifier: Apache-2.0
#include "storage/sqlite/statement.h"

#include "core/base/check.h"
#include "storage/sqlite/sqlite_error.h"

#include <sqlite3.h>

#include <new>

namespace cannery::storage {

void Statement::Finalizer::operator()(sqlite3_stmt* statement) const
{
    sqlite3_finalize(statement);
}

Statement::Statement(sqlite3_stmt* owned) : m_statement(owned) {}

// Results are gathered, because a chain of binds has no place for an error: step() fails instead.
Statement& Statement::bind(int parameter, std::int64_t value)
{
    m_bindResult |= sqlite3_bind_int64(m_statement.get(), parameter + 1, value);
    return *this;
}

Statement& Statement::bind(int parameter, double value)
{
    m_bindResult |= sqlite3_bind_double(m_statement.get(), parameter + 1, value);
    return *this;
}

Statement& Statement::bind(int parameter, std::string_view value)
{
    // A null pointer would bind NULL instead of an empty text.
    const char* bytes = value.data() == nullptr ? "" : value.data();
    // A copy, as callers bind temporary texts.
    m_bindResult |= sqlite3_bind_text64(m_statement.get(), parameter + 1, bytes, value.size(),
                                        SQLITE_TRANSIENT, SQLITE_UTF8);
    return *this;
}

Statement& Statement::bindNull(int parameter)
{
    m_bindResult |= sqlite3_bind_null(m_statement.get(), parameter + 1);
    return *this;
}

Statement& Statement::bind(int parameter, const Statement& row, int column)
{
    m_bindResult |= sqlite3_bind_value(m_statement.get(), parameter + 1,
                                       sqlite3_column_value(row.m_statement.get(), column));
    return *this;
}

Result<bool> Statement::step()
{
    if (m_bindResult != SQLITE_OK) {
        // Anything else is a wrong index, which is a bug.
        CANNERY_CHECK(m_bindResult == SQLITE_NOMEM);
        reset();
        throw std::bad_alloc();
    }
    const int result = sqlite3_step(m_statement.get());
    if (result == SQLITE_ROW) {
        return true;
    }
    if (result == SQLITE_DONE) {
        return false;
    }
    Error failure = sqliteError(sqlite3_db_handle(m_statement.get()));
    reset();
    return tl::make_unexpected(std::move(failure));
}

Result<void> Statement::run()
{
    CANNERY_TRY(step());
    reset();
    return {};
}

void Statement::reset()
{
    // Both: a reset alone would keep the old values for parameters that are not bound next time.
    sqlite3_reset(m_statement.get());
    sqlite3_clear_bindings(m_statement.get());
    m_bindResult = SQLITE_OK;
}

std::string Statement::sql() const
{
    return sqlite3_sql(m_statement.get());
}

int Statement::columnCount() const
{
    return sqlite3_column_count(m_statement.get());
}

std::string Statement::columnName(int column) const
{
    const char* name = sqlite3_column_name(m_statement.get(), column);
    if (name == nullptr) {
        throw std::bad_alloc();
    }
    return name;
}

StoredKind Statement::kind(int column) const
{
    switch (sqlite3_column_type(m_statement.get(), column)) {
    case SQLITE_INTEGER:
        return StoredKind::Integer;
    case SQLITE_FLOAT:
        return StoredKind::Real;
    case SQLITE_TEXT:
        return StoredKind::Text;
    case SQLITE_BLOB:
        return StoredKind::Blob;
    default:
        return StoredKind::Null;
    }
}

std::string_view Statement::bytes(int column) const
{
    // The pointer first, the size second: the other order may convert the value in between.
    const void* start = sqlite3_column_blob(m_statement.get(), column);
    const int size = sqlite3_column_bytes(m_statement.get(), column);
    if (start == nullptr) {
        return {};
    }
    return {static_cast<const char*>(start), static_cast<std::size_t>(size)};
}

bool Statement::isNull(int column) const
{
    return sqlite3_column_type(m_statement.get(), column) == SQLITE_NULL;
}

std::int64_t Statement::integer(int column) const
{
    return sqlite3_column_int64(m_statement.get(), column);
}

double Statement::real(int column) const
{
    return sqlite3_column_double(m_statement.get(), column);
}

std::string Statement::text(int column) const
{
    const unsigned char* bytes = sqlite3_column_text(m_statement.get(), column);
    if (bytes == nullptr) {
        if (!isNull(column)) {
            throw std::bad_alloc(); // SQLite had no memory to terminate it
        }
        return {};
    }
    const int size = sqlite3_column_bytes(m_statement.get(), column);
    return {reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size)};
}

std::optional<std::int64_t> Statement::optionalInteger(int column) const
{
    return isNull(column) ? std::nullopt : std::optional(integer(column));
}

std::optional<double> Statement::optionalReal(int column) const
{
    return isNull(column) ? std::nullopt : std::optional(real(column));
}

std::optional<std::string> Statement::optionalText(int column) const
{
    return isNull(column) ? std::nullopt : std::optional(text(column));
}

} // namespace cannery::storage
