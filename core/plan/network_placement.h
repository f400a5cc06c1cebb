// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/graph/layer_graph.h"
#include "core/layers/layer.h"
#include "core/plan/network_gradients.h"
#include "core/plan/value_uses.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cannery::plan {

/// The passes of a network over one batch as operations of an accelerator, which has mirrors of the
/// variables, Network::valueMemory() and NetworkGradients::denseParts().
class NetworkPlacement
{
public:
    /// Of a network; all of them outlive this.
    struct Parts
    {
        const graph::LayerGraph& graph;
        const NetworkGradients::Layers& layers;
        std::vector<layers::ValueBuffer>& values;
        const std::vector<bool>& wantsGradient; ///< per value
        const ValueUses& uses;
        NetworkGradients& gradients;
    };
    explicit NetworkPlacement(const Parts& parts) : m_parts(parts) {}

    /// An input of the graph, by its index, is at `values` (an address that the program knows), or
    /// its ids are there.
    void bind(std::size_t input, const float* values, const kernels::DeviceIds& ids);
    /// A sequence, see layers::ValueBuffer::placedSteps.
    void bind(std::size_t input, const kernels::MatrixView& steps);
    /// The steps that a sequence had there; their numbers are nowhere else. Until the next pass.
    void bindStepOffsets(graph::ValueId id, std::span<const std::int64_t> stepOffsets);

    /// Errors: those of layers::Layer, with the name of the node.
    Result<void> placeForward(const layers::Placement& placement)
    {
        return placeForward(placement, m_parts.layers.size());
    }
    /// Of the first nodes alone.
    Result<void> placeForward(const layers::Placement& placement, std::size_t end);
    Result<void> placeBackward(const layers::Placement& placement);
    /// NetworkGradients::updateStatistics(1).
    void placeStatistics(const layers::Placement& placement);

private:
    Parts m_parts;
};

} // namespace cannery::plan
