// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/golden/case_run.h"

#include <string>
#include <vector>

namespace cannery::tests {

/// Each returns a sentence for whatever differs by more than the case's tolerances; none is good.
std::vector<std::string> compareLosses(const GoldenCase& golden, const CaseRun& run);
/// Names of the whole checkpoint, and every value: weights, optimizer slots, hyper-parameters.
std::vector<std::string> compareState(const GoldenCase& golden, CaseRun& run);
/// What a warm start has made of a fresh model, bit for bit with TensorFlow's first checkpoint.
std::vector<std::string> compareWarmStart(const GoldenCase& golden, const CaseRun& run);
std::vector<std::string> compareEvaluation(const GoldenCase& golden, const CaseRun& run);
std::vector<std::string> comparePredictions(const GoldenCase& golden, const CaseRun& run);

} // namespace cannery::tests
