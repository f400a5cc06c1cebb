// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/runs/run_record.h"

#include <string>
#include <vector>

namespace cannery::storage {

class Database;

/// What the store's tables contain about one run, in the order given by RunDetails.
Result<std::vector<RunParameter>> readParameters(Database& database, const std::string& run);
Result<std::vector<RunEvaluation>> readEvaluations(Database& database, const std::string& run);
Result<std::vector<RunCheckpoint>> readCheckpoints(Database& database, const std::string& run);
Result<std::vector<TagStatistics>> readTags(Database& database, const std::string& run);
Result<std::vector<RunExport>> readExports(Database& database, const std::string& run);

} // namespace cannery::storage
