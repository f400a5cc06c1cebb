// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/runs/run_record.h"

#include <string>
#include <vector>

namespace cannery::storage {

class RunStore;

/// What tells at little cost whether anything about a run has changed.
struct RunOverview
{
    std::string run;
    std::string stamp;  ///< of what it did; another text means that it must be read again
    std::string counts; ///< of its rows, the same way; empty unless thorough
    bool isLive = false;
    RunAnnotations annotations;
};

/// Every run of the store, newest first. Not thorough: evaluations, checkpoints and tags are
/// expected to grow only while a run lives. Thorough: they are counted, which reads every row.
Result<std::vector<RunOverview>> readOverview(RunStore& store, bool thorough);

} // namespace cannery::storage
