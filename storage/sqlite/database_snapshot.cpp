// SPDX-License-Identifier: Apache-2.0
#include "storage/io/file_error.h"
#include "storage/io/files.h"
#include "storage/io/readable_file.h"
#include "storage/sqlite/database.h"
#include "storage/sqlite/sqlite_error.h"

#include <sqlite3.h>

#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

namespace cannery::storage {
namespace {

constexpr std::string_view kLog = "-wal";
constexpr std::string_view kLogIndex = "-shm";
constexpr std::string_view kJournal = "-journal";
/// Others may finish or begin a change while a file is opened or copied.
constexpr int kTries = 20;

std::string beside(const std::string& path, std::string_view ending)
{
    return path + std::string(ending);
}

bool hasLogOf(const std::string& path)
{
    return fileSize(beside(path, kLog)).value_or(0) > 0;
}

/// Whether changes go to a log, by the header.
bool isLogged(const std::string& path)
{
    constexpr std::uint64_t kReadVersionAt = 19;
    constexpr std::byte kWithLog{2};
    const Result<ReadableFile> file = ReadableFile::open(path);
    std::array<std::byte, 1> version{};
    return file && file->readAt(kReadVersionAt, version) == version.size() &&
           version[0] == kWithLog;
}

/// A file name with options that make SQLite leave all auxiliary files alone.
std::string uriOf(const std::string& path)
{
    std::string uri = "file:";
    for (const char letter : path) {
        const bool isPlain = std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
                             std::string_view("/._-").find(letter) != std::string_view::npos;
        uri += isPlain ? std::string(1, letter)
                       : fmt::format("%{:02x}", static_cast<unsigned char>(letter));
    }
    return uri + "?immutable=1";
}

/// Deleted with this object.
class TemporaryFolder
{
public:
    static Result<TemporaryFolder> make()
    {
        std::error_code ignored;
        const std::filesystem::path base = std::filesystem::temp_directory_path(ignored);
        std::string pattern = (base / "cannery-store-XXXXXX").string();
        if (mkdtemp(pattern.data()) == nullptr) {
            return tl::make_unexpected(fileError("make the folder", pattern, errno));
        }
        return TemporaryFolder(std::move(pattern));
    }
    TemporaryFolder(TemporaryFolder&& other) noexcept : m_path(std::exchange(other.m_path, {})) {}
    TemporaryFolder& operator=(TemporaryFolder&&) = delete;
    ~TemporaryFolder()
    {
        if (!m_path.empty()) {
            static_cast<void>(removeTree(m_path));
        }
    }
    const std::string& path() const { return m_path; }

private:
    explicit TemporaryFolder(std::string path) : m_path(std::move(path)) {}

    std::string m_path;
};

} // namespace

Result<Database> Database::openAsItStands(const std::filesystem::path& file)
{
    const std::string path = file.string();
    Result<Database> database = hasLogOf(path)
                                    ? openCopy(path, kLog)
                                    : openFile(uriOf(path), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
    if (database) {
        CANNERY_TRY(database->configure(DatabaseMode::ReadOnly, Durability::Normal));
        database->m_isSnapshot = true;
    }
    return database;
}

Result<Database> Database::openToRead(const std::filesystem::path& file)
{
    const std::string path = file.string();
    for (int i = 0; i < kTries; ++i) {
        Result<Database> database = openShared(path);
        if (database || database.error().id != unfinishedError(path).id) {
            return database;
        }
        // Nobody is at it any more: what SQLite would do to the file is done to a copy.
        database = openCopy(path, kJournal);
        if (database) {
            CANNERY_TRY(database->configure(DatabaseMode::ReadOnly, Durability::Normal));
            database->m_isSnapshot = true;
            return database;
        }
        if (exists(beside(path, kJournal))) {
            return database;
        }
    }
    return tl::make_unexpected(unfinishedError(path));
}

/// A read transaction under SQLite's locks.
Result<Database> Database::openShared(const std::string& path)
{
    const bool hasLog = hasLogOf(path);
    const bool hasIndex = exists(beside(path, kLogIndex));
    if (hasLog && !hasIndex) {
        return openAsItStands(path); // nobody has it open, and an index would stay behind
    }
    // Reading a file that keeps a log makes one. A connection that may write removes it again.
    const bool makesLog = !hasLog && !hasIndex && isLogged(path);
    const int flags = makesLog ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
    CANNERY_TRY_ASSIGN(Database database, openFile(path, flags));
    CANNERY_TRY(database.configure(DatabaseMode::ReadOnly, Durability::Normal));
    CANNERY_TRY(database.execute("BEGIN"));
    const Result<std::int64_t> begun = database.queryInteger("SELECT count(*) FROM sqlite_schema");
    if (!begun && isRefusedByDisk(begun.error())) {
        return openAsItStands(path);
    }
    CANNERY_TRY(begun);
    CANNERY_TRY_ASSIGN(database.m_lock, ReadingLock::take(path));
    database.m_isSnapshot = true;
    return database;
}

/// Loads a file into memory together with the log or journal beside it. Another program may write
/// meanwhile: the copy is only valid if that was the same before and after copying.
Result<Database> Database::openCopy(const std::string& path, std::string_view ending)
{
    CANNERY_TRY_ASSIGN(const TemporaryFolder folder, TemporaryFolder::make());
    const std::string copy = joinPath(folder.path(), "copy.db");
    const std::string from = beside(path, ending);
    const std::string to = beside(copy, ending);
    for (int i = 0; i < kTries; ++i) {
        CANNERY_TRY_ASSIGN(const CopiedBytes before, copyFile(from, to));
        CANNERY_TRY(copyFile(path, copy));
        const Result<CopiedBytes> after = copyFile(from, beside(to, "-after"));
        if (after && after->crc == before.crc && after->size == before.size) {
            CANNERY_TRY_ASSIGN(Database file,
                               open(copy, DatabaseMode::ReadWrite, Durability::Normal));
            CANNERY_TRY_ASSIGN(Database memory, openFile(":memory:", SQLITE_OPEN_READWRITE));
            CANNERY_TRY(memory.replaceWith(file));
            return memory;
        }
    }
    return tl::make_unexpected(unfinishedError(path));
}

} // namespace cannery::storage
