// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/spec/estimators.pb.h"

#include <cstdint>

namespace cannery::trees {

/// How TensorFlow's boosted trees grow, layer by layer: the arguments of its estimators.
struct LayerOptions
{
    std::int64_t treeCount = 100;
    std::int32_t maxDepth = 6;
    std::int64_t batchesPerLayer = 1;
    float learningRate = 0.1F;
    float l1 = 0.0F;
    float l2 = 0.0F;
    float treeComplexity = 0.0F;
    float minNodeWeight = 0.0F;
    bool centerBias = false;
    spec::TreePruning::Mode pruning = spec::TreePruning::none;
    double quantileEpsilon = 0.01;
    bool inMemory = false; ///< the batch is the whole table
};

/// The arguments of a boosted trees estimator; of others, nothing to rely on.
LayerOptions layerOptionsOf(const spec::Estimator& estimator);

} // namespace cannery::trees
