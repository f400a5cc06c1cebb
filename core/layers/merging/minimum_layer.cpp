// SPDX-License-Identifier: Apache-2.0
#include "core/layers/merging/minimum_layer.h"

namespace cannery::layers {

MinimumLayer::MinimumLayer()
    : ExtremeLayer({.kind = "minimum",
                    .verb = "take the minimum of",
                    .op = kernels::BroadcastOp::Minimum,
                    .tensorflowOp = "Minimum",
                    .nodeName = "Minimum",
                    .sharesGradient = true})
{}

std::unique_ptr<Layer> makeMinimumLayer(const spec::Layer& /*message*/)
{
    return std::make_unique<MinimumLayer>();
}

} // namespace cannery::layers
