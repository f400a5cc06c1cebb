// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/features/encoded_dataset.h"
#include "core/features/feature_encoder.h"
#include "core/graph/lowered_model.h"
#include "core/plan/model.h"
#include "tests/golden/golden_case.h"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cannery::tests {

/// Cannery's results for a golden case, starting from TensorFlow's checkpoint of step 0.
struct CaseRun
{
    std::optional<features::FeatureEncoder> encoder;
    graph::LoweredModel lowered;
    /// For a case with a warm start: the tensors of a fresh model after it, by name.
    std::map<std::string, std::vector<std::byte>> warmStarted;
    std::vector<double> losses;                 ///< of each step, before its update
    std::unique_ptr<plan::Model> model;         ///< after the last step
    std::map<std::string, double> evaluation;   ///< without global_step
    std::vector<heads::Prediction> predictions; ///< of the first rows of eval.csv
};

/// Rows of predict.json.
inline constexpr std::int64_t kPredictedRows = 50;

/// Trained by `accelerator`, or null: by the CPU. Errors: also "plan.not_on_gpu".
Result<CaseRun> runGoldenCase(const GoldenCase& golden, int threads,
                              kernels::Accelerator* accelerator = nullptr);

} // namespace cannery::tests
