// SPDX-License-Identifier: Apache-2.0
#include "core/trees/layer_options.h"

#include "core/spec/tree_arguments.h"

namespace cannery::trees {

LayerOptions layerOptionsOf(const spec::Estimator& estimator)
{
    const spec::TreeArguments arguments =
        spec::treeArgumentsOf(estimator).value_or(spec::TreeArguments{});
    return {.treeCount = arguments.treeCount,
            .maxDepth = static_cast<std::int32_t>(arguments.maxDepth),
            .batchesPerLayer = arguments.batchesPerLayer,
            .learningRate = static_cast<float>(arguments.learningRate),
            .l1 = static_cast<float>(arguments.l1),
            .l2 = static_cast<float>(arguments.l2),
            .treeComplexity = static_cast<float>(arguments.complexity),
            .minNodeWeight = static_cast<float>(arguments.minNodeWeight),
            .centerBias = arguments.centerBias,
            .pruning = arguments.pruning,
            .quantileEpsilon = arguments.quantileEpsilon,
            .inMemory = arguments.inMemory};
}

} // namespace cannery::trees
