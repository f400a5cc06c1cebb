// SPDX-License-Identifier: Apache-2.0
#include "core/layers/activations/elu_layer.h"

#include "core/layers/inputs/lookup.h"
#include "core/layers/layer_errors.h"
#include "storage/tf/graphs/float_nodes.h"

namespace cannery::layers {

EluLayer::EluLayer(const spec::EluLayer& message) : m_alpha(static_cast<float>(message.alpha())) {}

Result<LayerSignature> EluLayer::signature(std::span<const graph::Value* const> inputs) const
{
    CANNERY_TRY(expectInputs("elu", inputs, 1));
    CANNERY_TRY(expectDense("elu", *inputs[0]));
    return signatureLike(*inputs[0]);
}

void EluLayer::prepare(const LayerBuffers& buffers)
{
    m_buffers = buffers;
    m_kernels = &kernels::parametricActivationKernels(
        {.rows = buffers.maxRows, .cols = buffers.output->width});
}

void EluLayer::forward(const StepContext& step)
{
    m_kernels->exponentialUnit(step.pool, m_alpha, m_buffers.inputs[0]->values(step.range()),
                               m_buffers.output->output(step.range()));
}

void EluLayer::backward(const StepContext& step)
{
    if (m_buffers.inputs[0]->grad != nullptr) {
        m_kernels->exponentialUnitGradient(
            step.pool, m_alpha, m_buffers.inputs[0]->values(step.range()),
            m_buffers.output->gradient(step.range()), m_buffers.inputs[0]->gradient(step.range()));
    }
}

storage::EmittedValue EluLayer::emit(const EmitContext& context) const
{
    const storage::FloatNodes nodes(context.graph);
    const storage::NodeRef input = nodeRef(context.inputs[0].dense);
    const storage::NodeRef unit = nodes.apply("Elu", {input});
    if (m_alpha == 1.0F) {
        return {.dense = unit.input()};
    }
    const storage::NodeRef scaled = nodes.multiply(nodes.number(m_alpha), unit);
    const storage::NodeRef isAbove = nodes.holds("Greater", input, nodes.number(0.0F));
    return {.dense = nodes.select(isAbove, unit, scaled).input()};
}

std::unique_ptr<Layer> makeEluLayer(const spec::Layer& message)
{
    return std::make_unique<EluLayer>(message.elu());
}

} // namespace cannery::layers
