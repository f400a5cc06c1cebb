// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/graph/layer_graph.h"
#include "core/layers/layer.h"
#include "core/plan/float_arena.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace cannery::plan {

/// Values that several layers read, or one layer twice, on the way of the gradient: a residual
/// connection. Layers overwrite the gradient of their inputs, so each further use has a gradient of
/// its own; before the layer that makes the value goes back, they are added to the value's, in the
/// order of the uses.
class ValueUses
{
public:
    /// Errors: "plan.steps_used_twice" of a value that is not Dense.
    Result<void> find(const graph::LayerGraph& graph, const std::vector<bool>& wantsGradient);
    /// Of batches of at most this many rows.
    void reserve(FloatArena& arena, const graph::LayerGraph& graph, std::int64_t maxRows);
    /// Once the arena is allocated and the values, which stay in place, have their memory.
    void bind(FloatArena& arena, const std::vector<layers::ValueBuffer>& values);

    /// What an input of a node reads; null: the value itself. Stays in place until bind().
    const layers::ValueBuffer* bufferOf(std::size_t node, std::size_t input) const;
    /// Over the rows of `step`.
    void sum(graph::ValueId value, const layers::StepContext& step) const;
    /// The same on an accelerator.
    void placeSum(graph::ValueId value, const layers::Placement& placement) const;

private:
    /// A use besides the first one.
    struct Use
    {
        graph::ValueId value = -1;
        std::int64_t offset = 0; ///< of its gradient in the arena
        layers::ValueBuffer buffer;
        const layers::ValueBuffer* total = nullptr; ///< the value's own, whose gradient is the sum
    };
    std::vector<Use> m_uses;
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> m_useOf; ///< by node and input
    std::vector<std::vector<std::size_t>> m_usesOf;                     ///< by value
};

} // namespace cannery::plan
