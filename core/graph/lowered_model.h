// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/layer_graph.h"
#include "core/spec/heads.pb.h"
#include "core/spec/optimizers.pb.h"

#include <string>
#include <vector>

namespace cannery::graph {

/// The optimizer of one part of a model.
struct ScopedOptimizer
{
    std::string scope; ///< trains the variables of this scope
    spec::Optimizer optimizer;
    /// Its step counter is global_step; any other optimizer keeps `<checkpointPrefix>/iter`.
    bool ownsGlobalStep = true;
    std::string checkpointPrefix; ///< "training/Adagrad", "training_2/Adagrad_1"
};

/// The result of lowering an estimator: one graph up to the logits, the head that evaluates them,
/// and the optimizers. core/plan makes a Model of it, core/export a SavedModel.
struct LoweredModel
{
    LayerGraph graph;
    spec::Head head;
    std::vector<ScopedOptimizer> optimizers;
};

} // namespace cannery::graph
