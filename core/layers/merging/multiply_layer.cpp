// SPDX-License-Identifier: Apache-2.0
#include "core/layers/merging/multiply_layer.h"

#include "kernels/ops/vector_ops.h"

namespace cannery::layers {

MultiplyLayer::MultiplyLayer()
    : MergingLayer({.kind = "multiply",
                    .verb = "multiply",
                    .op = kernels::BroadcastOp::Multiply,
                    .tensorflowOp = "Mul",
                    .nodeName = "mul"})
{}

/// d(abc)/da = bc: by products, since a quotient would be 0 / 0 where an input is 0.
void MultiplyLayer::findGradient(const StepContext& step, std::size_t index,
                                 kernels::MatrixView grad)
{
    kernels::vectorKernels().copy(step.pool, buffers().output->gradient(step.range()), grad);
    for (std::size_t other = 0; other < buffers().inputs.size(); ++other) {
        if (other != index) {
            apply(step, kernels::BroadcastOp::Multiply, other, grad);
        }
    }
}

std::unique_ptr<Layer> makeMultiplyLayer(const spec::Layer& /*message*/)
{
    return std::make_unique<MultiplyLayer>();
}

} // namespace cannery::layers
