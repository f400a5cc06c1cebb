// SPDX-License-Identifier: Apache-2.0
#include "core/layers/normalization/rescaling_layer.h"

#include "core/layers/inputs/lookup.h"
#include "core/layers/layer_errors.h"
#include "kernels/ops/vector_ops.h"
#include "storage/tf/graphs/float_nodes.h"

namespace cannery::layers {

RescalingLayer::RescalingLayer(const spec::RescalingLayer& message)
    : m_scale(static_cast<float>(message.scale())), m_offset(static_cast<float>(message.offset()))
{}

Result<LayerSignature> RescalingLayer::signature(std::span<const graph::Value* const> inputs) const
{
    CANNERY_TRY(expectInputs("rescaling", inputs, 1));
    CANNERY_TRY(expectDense("rescaling", *inputs[0]));
    return signatureLike(*inputs[0]);
}

void RescalingLayer::prepare(const LayerBuffers& buffers)
{
    m_buffers = buffers;
    m_scalar = kernels::broadcastOver({}, buffers.output->shape);
}

void RescalingLayer::forward(const StepContext& step)
{
    const kernels::MatrixView dst = m_buffers.output->output(step.range());
    kernels::vectorKernels().copy(step.pool, m_buffers.inputs[0]->values(step.range()), dst);
    kernels::vectorKernels().scale(step.pool, dst.flat(), m_scale);
    kernels::broadcastKernels().apply(step.pool, m_scalar, kernels::BroadcastOp::Add,
                                      {&m_offset, dst.rows, 1, 0}, dst);
}

void RescalingLayer::backward(const StepContext& step)
{
    if (m_buffers.inputs[0]->grad == nullptr) {
        return;
    }
    const kernels::VectorKernels& kernels = kernels::vectorKernels();
    const kernels::MatrixView grad = m_buffers.inputs[0]->gradient(step.range());
    kernels.copy(step.pool, m_buffers.output->gradient(step.range()), grad);
    kernels.scale(step.pool, grad.flat(), m_scale);
}

storage::EmittedValue RescalingLayer::emit(const EmitContext& context) const
{
    const storage::FloatNodes nodes(context.graph);
    const storage::NodeRef scaled =
        nodes.multiply(nodeRef(context.inputs[0].dense), nodes.number(m_scale));
    return {.dense = nodes.add(scaled, nodes.number(m_offset)).input()};
}

std::unique_ptr<Layer> makeRescalingLayer(const spec::Layer& message)
{
    return std::make_unique<RescalingLayer>(message.rescaling());
}

} // namespace cannery::layers
