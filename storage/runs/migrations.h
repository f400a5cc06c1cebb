#pragma once

#include "core/base/result.h"

namespace cannery::storage {

class Database;

/// Brings the run store's tables to this program's version: numbered, forward only, each in one
/// transaction, safe when several programs do it at once. "runs.newer_store" for a file that a
/// newer version has changed.
Result<void> migrateRunStore(Database& database);

/// The same check without changing anything, for reading only.
Result<void> checkRunStoreVersion(Database& database);

} // namespace cannery::storage
