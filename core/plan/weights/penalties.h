// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/layer_graph.h"
#include "core/plan/network_gradients.h"
#include "core/plan/variables.h"
#include "core/plan/weights/weight_penalty.h"

#include <vector>

namespace cannery::plan {

/// Whether a variable has a penalty.
bool isPenalized(const graph::Variable& variable);
/// Whether it has a penalty or a constraint.
bool hasRules(const graph::Variable& variable);

/// The penalties of a model's weights. They belong to a step as a whole: shards add up their
/// gradients first, and what the penalties add is added to the sum, once, in every process alike.
class Penalties
{
public:
    explicit Penalties(const graph::LayerGraph& graph);

    bool any() const { return !m_weights.empty(); }
    /// After each layout: where values and gradients are. A penalized table whose gradient has
    /// only some rows gets one that has all of them, as in TensorFlow.
    void bind(Variables& variables, NetworkGradients& gradients);

    /// For the weights as they are.
    double total(kernels::ThreadPool& pool);
    /// The same, once per step, when the gradients of all shards are in those of bind(): adds the
    /// gradients of the penalties to those of trained weights.
    double addGradients(kernels::ThreadPool& pool);

private:
    struct Weight
    {
        graph::VariableId id = -1;
        WeightPenalty penalty;
        std::span<const float> values = {};
        VariableGradient* gradient = nullptr; ///< null: not trained
    };
    std::vector<Weight> m_weights;
};

} // namespace cannery::plan
