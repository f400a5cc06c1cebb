// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"

#include <string>

struct sqlite3;

namespace cannery::storage {

/// The error for SQLite's last failure on this connection (never null). `path`: the file, while it
/// is not open yet.
Error sqliteError(sqlite3* database, const std::string& path = {});

/// Whether the disk or its permissions refuse what SQLite needs to read a file as usual.
bool isRefusedByDisk(const Error& error);

/// "sqlite.unfinished": `path` holds half of a change.
Error unfinishedError(const std::string& path);

/// "sqlite.read_only".
Error readOnlyError(sqlite3* database);

/// "sqlite.corrupt" for damage that SQLite itself does not detect.
Error corruptError(sqlite3* database, const std::string& reason);

} // namespace cannery::storage
