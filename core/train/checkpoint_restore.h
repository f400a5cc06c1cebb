// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/plan/model.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace cannery::train {

/// Fills a model's state from a checkpoint, ours or TensorFlow's, and returns its global step.
/// Everything the model has must be there with the same dtype and shape; what else is there is left
/// alone. A model that does not fit is not touched: "train.checkpoint_shape",
/// "train.checkpoint_missing" (each names every tensor concerned and the cure), and the reader's
/// own errors. `withOptimizer` false: only what inference needs is read.
Result<std::int64_t> restoreCheckpoint(const std::string& prefix,
                                       std::span<const plan::StateTensor> state,
                                       bool withOptimizer = true);

/// Its global step alone.
Result<std::int64_t> readGlobalStep(const std::string& prefix);

} // namespace cannery::train
