// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/golden/case_run.h"

#include <string>
#include <vector>

namespace cannery::tests {

/// Exports the result of a case, once for each receiver, and runs its predicted rows through the
/// written graphs. Returns sentences about differences and failures; empty if all agree.
std::vector<std::string> compareExports(const GoldenCase& golden, const CaseRun& run);

} // namespace cannery::tests
