// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/plan/model.h"
#include "storage/tf/checkpoints/checkpoint_reader.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace cannery::train {

/// Fills a model's state from a checkpoint, ours or TensorFlow's, and returns its global step.
/// Every tensor of the model must be present with the same dtype and shape; other tensors are
/// ignored. If the model does not fit, it is left unchanged: "train.checkpoint_shape",
/// "train.checkpoint_missing" (each names every tensor concerned and the cure), and the reader's
/// own errors. `withOptimizer` false: reads only what inference needs.
Result<std::int64_t> restoreCheckpoint(const std::string& prefix,
                                       std::span<const plan::StateTensor> state,
                                       bool withOptimizer = true);

/// Fills one tensor, which the checkpoint has with this dtype. Errors: of the reader, and
/// of what the tensor refuses.
Result<void> restoreTensor(const storage::CheckpointReader& reader,
                           const plan::StateTensor& tensor);

/// Only its global step.
Result<std::int64_t> readGlobalStep(const std::string& prefix);

} // namespace cannery::train
