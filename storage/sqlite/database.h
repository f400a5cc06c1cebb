#pragma once

#include "core/base/result.h"
#include "storage/sqlite/statement.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>

struct sqlite3;

namespace cannery::storage {

enum class DatabaseMode
{
    ReadOnly,        ///< the file must exist
    ReadWrite,       ///< the file must exist
    ReadWriteCreate, ///< the file is made when it is missing
};

/// How durable a committed transaction is.
enum class Durability
{
    Full,   ///< survives a power cut
    Normal, ///< survives a crash of the process
};

/// A connection to one SQLite file: WAL mode, foreign keys on, waiting up to ten seconds for
/// another process. Used from one thread at a time; open one connection per thread.
/// Errors are sentences: "sqlite.locked", "sqlite.corrupt", "sqlite.full", "sqlite.read_only",
/// "sqlite.cannot_open", "sqlite.failed".
class Database
{
public:
    static Result<Database> open(const std::filesystem::path& path, DatabaseMode mode,
                                 Durability durability = Durability::Full);

    /// Runs one or several statements that take no parameters and give no rows.
    Result<void> execute(std::string_view sql);
    Result<Statement> prepare(std::string_view sql);

    /// Runs the function within one writing transaction; an error rolls everything back. Nested
    /// calls join the outer transaction.
    Result<void> transaction(const std::function<Result<void>()>& function);

    /// The first column of the first row, which must exist.
    Result<std::int64_t> queryInteger(std::string_view sql);

    std::int64_t lastInsertId() const;
    /// Rows changed by the last statement.
    std::int64_t changes() const;
    std::filesystem::path path() const;

private:
    struct Closer
    {
        void operator()(sqlite3* database) const;
    };

    explicit Database(sqlite3* owned);

    Result<void> configure(DatabaseMode mode, Durability durability);

    std::unique_ptr<sqlite3, Closer> m_database;
};

} // namespace cannery::storage
