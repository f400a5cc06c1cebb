// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/layer_graph_builder.h"
#include "storage/tf/graphs/float_nodes.h"

#include <algorithm>
#include <span>
#include <string_view>

/// Masks as values of the graph: 1 where a step counts, 0 where it is hidden. They have no message:
/// masks/mask_flow.h puts them where they are needed.
namespace cannery::layers {

/// Whether some number of a step is not the value that hides it. NaN is none.
inline bool isStepShown(std::span<const float> step, float hidden)
{
    return std::any_of(step.begin(), step.end(), [&](float number) { return number != hidden; });
}

/// That a mask which a network names has a number for each step, rows of `steps`. Errors:
/// "layers.pooling_mask".
Result<void> expectStepMask(std::string_view layer, const graph::Value& mask,
                            const graph::Value& steps);

/// 1 where some number along the axis is not `hidden`, else 0; the axis is gone, or 1.
storage::NodeRef emitShownSteps(const storage::FloatNodes& nodes, const storage::NodeRef& input,
                                float hidden, std::int32_t axis, bool keepsAxis);

/// Of ids, numbers of any shape: the same shape, 0 where the id is.
OwnLayer tokenMask();
/// Of rows of shape [..., channels]: shape [...], 0 where all channels have the value.
OwnLayer stepMask(float hidden);
/// Of rows of shape [n, ...] with `rank` dimensions in front: ones of these.
OwnLayer fullMask(std::size_t rank);

} // namespace cannery::layers
