// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/golden/case_run.h"

#include <string>
#include <vector>

namespace cannery::tests {

/// Exports what a case has come to, once for each receiver, and runs its predicted rows through the
/// written graphs. Sentences of what differs or cannot be done; empty: all agree.
std::vector<std::string> compareExports(const GoldenCase& golden, const CaseRun& run);

} // namespace cannery::tests
