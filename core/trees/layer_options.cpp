// SPDX-License-Identifier: Apache-2.0
#include "core/trees/layer_options.h"

namespace cannery::trees {

namespace {

template <typename Message>
LayerOptions read(const Message& message)
{
    LayerOptions options{.treeCount = message.n_trees(),
                         .maxDepth = static_cast<std::int32_t>(message.max_depth()),
                         .batchesPerLayer = message.n_batches_per_layer(),
                         .learningRate = static_cast<float>(message.learning_rate()),
                         .l1 = static_cast<float>(message.l1_regularization()),
                         .l2 = static_cast<float>(message.l2_regularization()),
                         .treeComplexity = static_cast<float>(message.tree_complexity()),
                         .minNodeWeight = static_cast<float>(message.min_node_weight()),
                         .centerBias = message.center_bias(),
                         .pruning = message.pruning_mode(),
                         .quantileEpsilon = message.quantile_sketch_epsilon()};
    if constexpr (requires { message.train_in_memory(); }) {
        options.inMemory = message.train_in_memory();
    }
    return options;
}

} // namespace

LayerOptions layerOptionsOf(const spec::Estimator& estimator)
{
    switch (estimator.kind_case()) {
    case spec::Estimator::kBoostedTreesClassifier:
        return read(estimator.boosted_trees_classifier());
    case spec::Estimator::kBoostedTreesRegressor:
        return read(estimator.boosted_trees_regressor());
    default:
        return read(estimator.boosted_trees_estimator());
    }
}

} // namespace cannery::trees
