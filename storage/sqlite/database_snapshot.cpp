// SPDX-License-Identifier: Apache-2.0
#include "storage/io/file_error.h"
#include "storage/io/files.h"
#include "storage/sqlite/database.h"

#include <sqlite3.h>

#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <utility>

namespace cannery::storage {
namespace {

std::string logOf(const std::string& path)
{
    return path + "-wal";
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
    const bool hasLog = fileSize(logOf(path)).value_or(0) > 0;
    Result<Database> database =
        hasLog ? openCopy(path) : openFile(uriOf(path), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
    if (database) {
        CANNERY_TRY(database->configure(DatabaseMode::ReadOnly, Durability::Normal));
        database->m_isSnapshot = true;
    }
    return database;
}

/// Loads a file with a pending log into memory. Another program may write meanwhile: the copy is
/// only valid if the log was the same before and after copying.
Result<Database> Database::openCopy(const std::string& path)
{
    CANNERY_TRY_ASSIGN(const TemporaryFolder folder, TemporaryFolder::make());
    const std::string copy = joinPath(folder.path(), "copy.db");
    constexpr int kTries = 20;
    for (int i = 0; i < kTries; ++i) {
        CANNERY_TRY_ASSIGN(const CopiedBytes log, copyFile(logOf(path), logOf(copy)));
        CANNERY_TRY(copyFile(path, copy));
        const Result<CopiedBytes> after = copyFile(logOf(path), logOf(copy) + "-after");
        if (after && after->crc == log.crc && after->size == log.size) {
            break;
        }
    }
    CANNERY_TRY_ASSIGN(Database file, open(copy, DatabaseMode::ReadWrite, Durability::Normal));
    CANNERY_TRY_ASSIGN(Database memory, openFile(":memory:", SQLITE_OPEN_READWRITE));
    CANNERY_TRY(memory.replaceWith(file));
    return memory;
}

} // namespace cannery::storage
