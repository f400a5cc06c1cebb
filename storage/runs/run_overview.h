// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/runs/run_record.h"

#include <string>
#include <vector>

namespace cannery::storage {

class RunStore;

/// A cheap way to detect whether anything about a run has changed.
struct RunOverview
{
    std::string run;
    std::string stamp;  ///< of its records; if the text differs, they must be reread
    std::string counts; ///< of its rows, likewise; empty unless thorough
    bool isLive = false;
    RunAnnotations annotations;
};

/// Every run of the store, newest first. Not thorough: assumes that evaluations, checkpoints and
/// tags only grow while a run is active. Thorough: counts them, which reads every row.
Result<std::vector<RunOverview>> readOverview(RunStore& store, bool thorough);

} // namespace cannery::storage
