#pragma once

#include "core/base/error.h"

struct sqlite3;

namespace cannery::storage {

/// The sentence for SQLite's last failure on this connection (never null).
Error sqliteError(sqlite3* database);

} // namespace cannery::storage
