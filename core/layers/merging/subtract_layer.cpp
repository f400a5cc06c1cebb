// SPDX-License-Identifier: Apache-2.0
#include "core/layers/merging/subtract_layer.h"

#include "kernels/ops/vector_ops.h"

namespace cannery::layers {

SubtractLayer::SubtractLayer()
    : MergingLayer({.kind = "subtract",
                    .verb = "subtract",
                    .op = kernels::BroadcastOp::Subtract,
                    .tensorflowOp = "Sub",
                    .nodeName = "sub",
                    .takesTwo = true})
{}

void SubtractLayer::findGradient(const StepContext& step, std::size_t index,
                                 kernels::MatrixView grad)
{
    const kernels::VectorKernels& kernels = kernels::vectorKernels();
    kernels.copy(step.pool, buffers().output->gradient(step.range()), grad);
    if (index == 1) {
        kernels.scale(step.pool, grad.flat(), -1.0F);
    }
}

std::unique_ptr<Layer> makeSubtractLayer(const spec::Layer& /*message*/)
{
    return std::make_unique<SubtractLayer>();
}

} // namespace cannery::layers
