// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/train/loop/training_observer.h"
#include "core/train/opened_model.h"
#include "core/train/preparation/dataset_loader.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace cannery::train {

struct EvaluateModelRequest
{
    std::vector<std::string> files;    ///< replaces the experiment's own rows; paths or globs
    std::optional<std::int64_t> steps; ///< replaces eval_spec.steps; all rows if 0
    std::string name;
    /// See EvaluationRequest::progress.
    std::function<void(std::int64_t, std::int64_t)> progress;
};

/// The rows to evaluate on, encoded: the experiment's own, or those of `files` (paths or globs).
Result<LoadedRows> loadEvalRows(OpenedModel& model, const std::vector<std::string>& files = {});

/// Makes evaluations of the model run where the strategy wants them; returns why they do not, or
/// nothing.
std::string openEvaluationDevice(OpenedModel& model);

/// Evaluates an opened model. Writes nothing.
Result<EvaluationResult> evaluateModel(OpenedModel& model, const EvaluateModelRequest& request);

} // namespace cannery::train
