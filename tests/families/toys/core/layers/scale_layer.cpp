// SPDX-License-Identifier: Apache-2.0
#include "core/layers/scale_layer.h"

#include "core/layers/inputs/lookup.h"
#include "core/layers/layer_errors.h"

#include <algorithm>

namespace cannery::layers {

ScaleLayer::ScaleLayer(const spec::ScaleLayer& message)
    : m_factor(static_cast<float>(message.factor()))
{}

Result<LayerSignature> ScaleLayer::signature(std::span<const graph::Value* const> inputs) const
{
    CANNERY_TRY(expectInputs("scale", inputs, 1));
    CANNERY_TRY(expectDense("scale", *inputs[0]));
    LayerSignature signature;
    signature.output.width = inputs[0]->width;
    return signature;
}

void ScaleLayer::forward(const StepContext& step)
{
    const auto src = m_buffers.inputs[0]->values(step.rows).flat();
    const auto dst = m_buffers.output->output(step.rows).flat();
    std::transform(src.begin(), src.end(), dst.begin(),
                   [this](float value) { return value * m_factor; });
}

void ScaleLayer::backward(const StepContext& step)
{
    if (m_buffers.inputs[0]->grad == nullptr) {
        return;
    }
    const auto dstGrad = m_buffers.output->gradient(step.rows).flat();
    const auto srcGrad = m_buffers.inputs[0]->gradient(step.rows).flat();
    std::transform(dstGrad.begin(), dstGrad.end(), srcGrad.begin(),
                   [this](float value) { return value * m_factor; });
}

storage::EmittedValue ScaleLayer::emit(const EmitContext& context) const
{
    const storage::NodeRef factor = context.graph.constant("factor", m_factor);
    return {.dense = context.graph
                         .add("Mul", "Mul", {nodeRef(context.inputs[0].dense), factor},
                              {{"T", DType::Float32}})
                         .input()};
}

std::unique_ptr<Layer> makeScaleLayer(const spec::Layer& message)
{
    return std::make_unique<ScaleLayer>(message.scale());
}

} // namespace cannery::layers
