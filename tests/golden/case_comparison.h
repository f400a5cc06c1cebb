// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/golden/case_run.h"

#include <string>
#include <vector>

namespace cannery::tests {

/// Each returns a sentence for every difference beyond the case's tolerances; empty if there is
/// none.
std::vector<std::string> compareLosses(const GoldenCase& golden, const CaseRun& run);
/// Names of the whole checkpoint, and every value: weights, optimizer slots, hyper-parameters.
std::vector<std::string> compareState(const GoldenCase& golden, CaseRun& run);
/// The result of a warm start of a fresh model, bit for bit equal to TensorFlow's first checkpoint.
std::vector<std::string> compareWarmStart(const GoldenCase& golden, const CaseRun& run);
/// What columns matter to boosted trees; empty for other models.
std::vector<std::string> compareImportances(const GoldenCase& golden, CaseRun& run);
std::vector<std::string> compareEvaluation(const GoldenCase& golden, const CaseRun& run);
std::vector<std::string> comparePredictions(const GoldenCase& golden, const CaseRun& run);

} // namespace cannery::tests
