// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

namespace cannery::storage {

class Database;

/// Migrates the run store's tables to this program's version: numbered, forward only, each
/// migration in one transaction, safe if several programs do it at once. "runs.newer_store" for a
/// file that a newer version has changed.
Result<void> migrateRunStore(Database& database);

/// Whether the tables have this program's version, without changing anything; false for an older
/// one, "runs.no_store" for a file without tables.
Result<bool> isRunStoreCurrent(Database& database);

} // namespace cannery::storage
