#include "storage/sqlite/sqlite_error.h"

#include <sqlite3.h>

#include <string>

namespace cannery::storage {
namespace {

constexpr ErrorKind kLocked{"sqlite.locked", "{} is in use by another program and stayed locked "
                                             "for ten seconds; try again when it is done."};
constexpr ErrorKind kCorrupt{"sqlite.corrupt", "{} is damaged or is no run store ({}); move it "
                                               "away and rebuild it with 'cannery runs rescan'."};
constexpr ErrorKind kFull{"sqlite.full",
                          "The disk is full: {} cannot be written; free some space and try again."};
constexpr ErrorKind kReadOnly{
    "sqlite.read_only",
    "{} cannot be written; check the permissions of the file and of its folder."};
constexpr ErrorKind kCannotOpen{"sqlite.cannot_open",
                                "{} cannot be opened: {}; check that its folder exists."};
constexpr ErrorKind kFailed{"sqlite.failed", "{}: the database reported \"{}\"."};

std::string fileOf(sqlite3* database)
{
    const char* name = sqlite3_db_filename(database, "main");
    return name == nullptr || *name == '\0' ? "The database" : name;
}

} // namespace

Error sqliteError(sqlite3* database)
{
    const std::string file = fileOf(database);
    const std::string reason = sqlite3_errmsg(database);
    switch (sqlite3_errcode(database) & 0xff) {
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
        return error(ErrorCode::NotFound, kCannotOpen, file, reason);
    default:
        return error(ErrorCode::Internal, kFailed, file, reason);
    }
}

} // namespace cannery::storage
