// SPDX-License-Identifier: Apache-2.0
#include "core/layers/merging/average_layer.h"

#include "core/layers/inputs/lookup.h"
#include "kernels/ops/vector_ops.h"

namespace cannery::layers {

AverageLayer::AverageLayer()
    : MergingLayer({.kind = "average",
                    .verb = "average",
                    .op = kernels::BroadcastOp::Add,
                    .tensorflowOp = "AddV2",
                    .nodeName = "add"})
{}

void AverageLayer::forward(const StepContext& step)
{
    MergingLayer::forward(step);
    divideByCount(step, buffers().output->output(step.range()));
}

storage::EmittedValue AverageLayer::emit(const EmitContext& context) const
{
    const storage::NodeRef sum = nodeRef(MergingLayer::emit(context).dense);
    const storage::NodeRef count =
        context.graph.constant("truediv/y", static_cast<float>(context.inputs.size()));
    return {
        .dense =
            context.graph.add("RealDiv", "truediv", {sum, count}, {{"T", DType::Float32}}).input()};
}

void AverageLayer::findGradient(const StepContext& step, std::size_t /*index*/,
                                kernels::MatrixView grad)
{
    kernels::vectorKernels().copy(step.pool, buffers().output->gradient(step.range()), grad);
    divideByCount(step, grad);
}

std::unique_ptr<Layer> makeAverageLayer(const spec::Layer& /*message*/)
{
    return std::make_unique<AverageLayer>();
}

} // namespace cannery::layers
