// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/graph/lowered_model.h"

#include <cstdint>
#include <optional>
#include <string>

namespace cannery::plan {

/// Bytes that a model takes, computed from its shapes alone. Numbers are doubles, so that products
/// of shapes cannot overflow; below 2^53 they are exact.
struct ModelSize
{
    double state = 0;       ///< weights, statistics and optimizer slots: a checkpoint
    double gradients = 0;   ///< of what is trained; for embedding tables, of the rows of a batch;
                            ///< or what a step of its own keeps beside the weights
    double activations = 0; ///< of a batch, with their gradients, and the batches themselves
    double names = 0;       ///< of classes

    double total() const { return state + gradients + activations + names; }
};

struct ModelSizeOptions
{
    std::int64_t batchSize = 32;
    /// Of the sequences of a batch, all rows together; nothing: not known, each row counts as one.
    std::optional<std::int64_t> steps = std::nullopt;
    bool training = true;    ///< false: no gradients, no slots
    std::int64_t shards = 1; ///< of a training step in this process
    int threads = 1;         ///< that compute them
    bool isAcross = false;   ///< see Sharding
};

/// Errors: those of optimizers::makeOptimizer.
Result<ModelSize> sizeOf(const graph::LoweredModel& lowered, const ModelSizeOptions& options);

/// "12.0 GB of weights and optimizer slots, 6.0 GB of gradients and 1.2 GB for a batch"
std::string partsText(const ModelSize& size);

/// "plan.too_large" if the model does not fit into memoryLimit().
Result<void> checkFits(const graph::LoweredModel& lowered, const ModelSizeOptions& options);

} // namespace cannery::plan
