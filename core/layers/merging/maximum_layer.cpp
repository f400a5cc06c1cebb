// SPDX-License-Identifier: Apache-2.0
#include "core/layers/merging/maximum_layer.h"

namespace cannery::layers {

MaximumLayer::MaximumLayer()
    : ExtremeLayer({.kind = "maximum",
                    .verb = "take the maximum of",
                    .op = kernels::BroadcastOp::Maximum,
                    .tensorflowOp = "Maximum",
                    .nodeName = "Maximum",
                    .sharesGradient = true})
{}

std::unique_ptr<Layer> makeMaximumLayer(const spec::Layer& /*message*/)
{
    return std::make_unique<MaximumLayer>();
}

} // namespace cannery::layers
