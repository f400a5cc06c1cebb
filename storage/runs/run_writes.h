// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/runs/run_record.h"

#include <span>
#include <string>

namespace cannery::storage {

class Database;

// Writes one run's rows of the store's tables. The caller has begun a transaction.

/// Adds the run, or replaces its record and parameters.
Result<void> writeRun(Database& database, const RunInfo& info, const RunStatus& status);
Result<void> writeStatus(Database& database, const std::string& run, const RunStatus& status);
/// Replaces an earlier evaluation of the same name and step.
Result<void> writeEvaluation(Database& database, const std::string& run,
                             const RunEvaluation& evaluation);
/// Replaces all.
Result<void> writeCheckpoints(Database& database, const std::string& run,
                              std::span<const RunCheckpoint> checkpoints);
/// Replaces the statistics of the given tags.
Result<void> writeTags(Database& database, const std::string& run,
                       std::span<const TagStatistics> tags);
Result<void> writeExport(Database& database, const std::string& run, const RunExport& entry);
/// Replaces all.
Result<void> writeExports(Database& database, const std::string& run,
                          std::span<const RunExport> exports);
/// Removes the run and its annotations from every table.
Result<void> eraseRun(Database& database, const std::string& run);

} // namespace cannery::storage
