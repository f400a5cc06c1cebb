// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/sqlite/reading_lock.h"
#include "storage/sqlite/statement.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;

namespace cannery::storage {

enum class DatabaseMode
{
    ReadOnly,        ///< the file must exist; it and its folder need not be writable
    ReadWrite,       ///< the file must exist
    ReadWriteCreate, ///< the file is created if it is missing
    Repair,          ///< like ReadWrite, but damaged pages are read as they are
};

/// How durable a committed transaction is.
enum class Durability
{
    Full,   ///< survives a power failure
    Normal, ///< survives a crash of the process
};

/// A connection to one SQLite file: WAL mode, foreign keys on, waits up to ten seconds for other
/// processes. A file opened for reading in a folder that is not writable is read as a snapshot
/// (isSnapshot()), including its log. Pages of files created here carry checksums
/// (page_checksums.h): damage on disk is "sqlite.corrupt". Used from one thread at a time; open one
/// connection per thread. Errors: "sqlite.locked", "sqlite.corrupt", "sqlite.full",
/// "sqlite.read_only", "sqlite.cannot_open", "sqlite.failed".
class Database
{
public:
    static Result<Database> open(const std::filesystem::path& path, DatabaseMode mode,
                                 Durability durability = Durability::Full);

    /// For reading the current content without writing any auxiliary files (isSnapshot()).
    static Result<Database> openAsItStands(const std::filesystem::path& file);

    /// For reading a file of another program, which may be writing it: holds SQLite's own lock and
    /// one read transaction until it is destroyed, so everything read is of one moment
    /// (isSnapshot()), and changes nothing in the file. A log without its index, and the journal of
    /// a change that was never finished, are worked into a copy in memory. Errors: those above, and
    /// "sqlite.unfinished" for a file that others keep changing or recovering.
    static Result<Database> openToRead(const std::filesystem::path& file);

    /// For a file and for statements that come from someone else: from now on, only SELECT
    /// statements are prepared that read tables and call functions without side effects; no other
    /// file is attached, and Interruptible ends them.
    Result<void> allowOnlySelect();

    /// Runs one or more statements without parameters and result rows.
    Result<void> execute(std::string_view sql);
    /// Errors: also "sqlite.one_statement" for none or several of them.
    Result<Statement> prepare(std::string_view sql);

    /// Runs the function within one write transaction; an error rolls everything back. Nested calls
    /// join the outer transaction.
    Result<void> transaction(const std::function<Result<void>()>& function);

    /// The first column of the first row, which must exist.
    Result<std::int64_t> queryInteger(std::string_view sql);

    /// True for a file that was read when it was opened: later changes by others are not visible.
    bool isSnapshot() const { return m_isSnapshot; }

    /// "sqlite.corrupt" for a file without page checksums.
    Result<void> requirePageChecksums();
    /// Rewrites a file of another program, or of an older version, with checksums; does nothing if
    /// it has them. Not within a transaction.
    Result<void> addPageChecksums();
    /// Reads everything; "sqlite.corrupt" if anything is damaged.
    Result<void> checkIntegrity();
    /// Becomes a copy of the other, in one transaction visible to other connections.
    Result<void> replaceWith(Database& other);

    /// "sqlite.corrupt", for content that none of our programs has written.
    Error corrupt(const std::string& reason) const;

    std::int64_t lastInsertId() const;
    /// Rows changed by the last statement.
    std::int64_t changes() const;
    std::filesystem::path path() const;

private:
    struct Closer
    {
        void operator()(sqlite3* database) const;
    };

    /// Rolls back what was not committed, even if memory runs out.
    class Transaction
    {
    public:
        explicit Transaction(Database& database);
        Transaction(const Transaction&) = delete;
        Transaction& operator=(const Transaction&) = delete;
        ~Transaction();

    private:
        Database& m_owner;
    };

    explicit Database(sqlite3* owned);

    static Result<Database> openFile(const std::string& name, int flags);
    static Result<Database> openCopy(const std::string& path, std::string_view beside);
    static Result<Database> openShared(const std::string& path);
    Result<void> configure(DatabaseMode mode, Durability durability);
    Result<void> requireWritable();
    Result<void> reserveForChecksums();

    std::unique_ptr<sqlite3, Closer> m_database;
    /// Goes first: the last connection to a log deletes it only if nobody else has a lock.
    std::optional<ReadingLock> m_lock;
    bool m_isInTransaction = false;
    bool m_isSnapshot = false;
};

} // namespace cannery::storage
