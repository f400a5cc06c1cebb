// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3_stmt;

namespace cannery::storage {

/// What a cell of a row holds.
enum class StoredKind
{
    Null,
    Integer,
    Real,
    Text,
    Blob,
};

/// One prepared SQL statement. Parameters and columns are counted from 0; a failed bind is reported
/// by the next step(). Belongs to the Database that created it and must not outlive it.
class Statement
{
public:
    explicit Statement(sqlite3_stmt* owned);

    Statement& bind(int parameter, std::int64_t value);
    Statement& bind(int parameter, double value);
    Statement& bind(int parameter, std::string_view value);
    Statement& bindNull(int parameter);
    /// A value from another statement's row, of any type.
    Statement& bind(int parameter, const Statement& row, int column);

    template <typename T>
    Statement& bind(int parameter, const std::optional<T>& value)
    {
        return value ? bind(parameter, *value) : bindNull(parameter);
    }

    /// True: a row is available. False: done.
    Result<bool> step();
    /// For a statement without result rows: steps once and resets, ready to be bound again.
    Result<void> run();
    void reset();

    /// The statement's own text, to its semicolon.
    std::string sql() const;
    int columnCount() const;
    std::string columnName(int column) const;
    StoredKind kind(int column) const;
    /// A text or a BLOB, valid until the next step().
    std::string_view bytes(int column) const;

    bool isNull(int column) const;
    std::int64_t integer(int column) const;
    double real(int column) const;
    std::string text(int column) const;
    std::optional<std::int64_t> optionalInteger(int column) const;
    std::optional<double> optionalReal(int column) const;
    std::optional<std::string> optionalText(int column) const;

private:
    struct Finalizer
    {
        void operator()(sqlite3_stmt* statement) const;
    };

    std::unique_ptr<sqlite3_stmt, Finalizer> m_statement;
    int m_bindResult = 0;
};

} // namespace cannery::storage
