// SPDX-License-Identifier: Apache-2.0
#include "storage/sqlite/sqlite_error.h"

#include "core/base/memory_guard.h"

#include <sqlite3.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace cannery::storage {
namespace {

constexpr ErrorKind kLocked{"sqlite.locked", "{} is in use by another program and stayed locked "
                                             "for ten seconds; try again when it is done."};
constexpr ErrorKind kCorrupt{
    "sqlite.corrupt",
    "{} is damaged or is not a run store ({}); 'cannery runs rescan' repairs it."};
constexpr ErrorKind kFull{"sqlite.full",
                          "The disk is full: {} cannot be written; free some space and try again."};
constexpr ErrorKind kReadOnly{
    "sqlite.read_only",
    "{} cannot be written; check the disk and the permissions of the file and of its folder."};
constexpr ErrorKind kCannotOpen{
    "sqlite.cannot_open",
    "{} cannot be opened: {} ({}); check the disk, and that the file's folder exists."};
constexpr ErrorKind kDisk{
    "sqlite.disk",
    "{} cannot be read or written: {} ({}). The disk may be failing; earlier data is kept."};
constexpr ErrorKind kUnfinished{
    "sqlite.unfinished",
    "{} holds half of a change that another program has not finished. Try again when that program "
    "is done, or open the file with it once more, so that it restores what was there before."};
constexpr ErrorKind kFailed{"sqlite.failed", "{}: the database reported \"{}\"."};

std::string fileOf(sqlite3* database, const std::string& path)
{
    // Temporary databases and those in memory have an empty name.
    const char* name = sqlite3_db_filename(database, "main");
    if (name == nullptr || *name == '\0') {
        return path.empty() ? "The database" : path;
    }
    return name;
}

/// What the system rejected.
Error systemFailure(sqlite3* database, const std::string& file, const std::string& reason)
{
    const int systemError = sqlite3_system_errno(database);
    if (systemError == ENOSPC || systemError == EDQUOT) {
        return error(ErrorCode::ResourceExhausted, kFull, file);
    }
    const std::string message =
        systemError == 0 ? "no reason given" : std::generic_category().message(systemError);
    if ((sqlite3_errcode(database) & 0xff) == SQLITE_CANTOPEN) {
        return error(ErrorCode::NotFound, kCannotOpen, file, reason, message);
    }
    return error(ErrorCode::DataLoss, kDisk, file, reason, message);
}

} // namespace

Error sqliteError(sqlite3* database, const std::string& path)
{
    const std::string file = fileOf(database, path);
    const std::string reason = sqlite3_errmsg(database);
    // The extended codes first: their basic ones, IOERR and READONLY, would name another cause.
    if (sqlite3_extended_errcode(database) == SQLITE_IOERR_DATA) {
        return corruptError(database, "a page does not agree with its checksum");
    }
    if (sqlite3_extended_errcode(database) == SQLITE_IOERR_NOMEM) {
        return cannery::detail::noMemoryError(file);
    }
    if (sqlite3_extended_errcode(database) == SQLITE_READONLY_ROLLBACK) {
        return unfinishedError(file);
    }
    // The lower eight bits are the basic code.
    switch (sqlite3_errcode(database) & 0xff) {
    case SQLITE_NOMEM:
        return cannery::detail::noMemoryError(file);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return error(ErrorCode::Unavailable, kLocked, file);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return error(ErrorCode::DataLoss, kCorrupt, file, reason);
    case SQLITE_FULL:
        return error(ErrorCode::ResourceExhausted, kFull, file);
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return error(ErrorCode::PermissionDenied, kReadOnly, file);
    case SQLITE_CANTOPEN:
    case SQLITE_IOERR:
        return systemFailure(database, file, reason);
    default:
        return error(ErrorCode::Internal, kFailed, file, reason);
    }
}

bool isRefusedByDisk(const Error& error)
{
    return error.id == kCannotOpen.id || error.id == kReadOnly.id || error.id == kFull.id ||
           error.id == kDisk.id;
}

Error unfinishedError(const std::string& path)
{
    return error(ErrorCode::FailedPrecondition, kUnfinished, path);
}

Error readOnlyError(sqlite3* database)
{
    return error(ErrorCode::PermissionDenied, kReadOnly, fileOf(database, {}));
}

Error corruptError(sqlite3* database, const std::string& reason)
{
    return error(ErrorCode::DataLoss, kCorrupt, fileOf(database, {}), reason);
}

} // namespace cannery::storage
