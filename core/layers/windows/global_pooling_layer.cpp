// SPDX-License-Identifier: Apache-2.0
#include "core/layers/windows/global_pooling_layer.h"

#include "core/layers/layer_errors.h"
#include "core/layers/windows/window_emission.h"

namespace cannery::layers {

Result<LayerSignature>
GlobalPoolingLayer::signature(std::span<const graph::Value* const> inputs) const
{
    CANNERY_TRY(expectInputs(m_options.kind, inputs, 1));
    CANNERY_TRY_ASSIGN(const ImageSize image,
                       imageSizeOf(m_options.kind, *inputs[0], m_options.over));
    LayerSignature signature;
    signature.output.width = image.channels;
    if (m_options.keepsDimensions) {
        signature.output = imageValue({1, 1, image.channels}, m_options.over);
    }
    return signature;
}

void GlobalPoolingLayer::prepare(const LayerBuffers& buffers)
{
    m_buffers = buffers;
    m_kernels = &kernels::globalPoolingKernels(
        {.images = buffers.maxRows, .channels = buffers.output->width});
}

void GlobalPoolingLayer::forward(const StepContext& step)
{
    const auto pool =
        m_options.rule == kernels::PoolingRule::Max ? m_kernels->maximum : m_kernels->mean;
    pool(step.pool, m_buffers.inputs[0]->values(step.range()),
         m_buffers.output->output(step.range()));
}

void GlobalPoolingLayer::backward(const StepContext& step)
{
    const ValueBuffer& input = *m_buffers.inputs[0];
    const ValueBuffer& output = *m_buffers.output;
    if (input.grad == nullptr) {
        return;
    }
    if (m_options.rule == kernels::PoolingRule::Max) {
        m_kernels->maximumGradient(step.pool, input.values(step.range()),
                                   output.values(step.range()), output.gradient(step.range()),
                                   input.gradient(step.range()));
    } else {
        m_kernels->meanGradient(step.pool, output.gradient(step.range()),
                                input.gradient(step.range()));
    }
}

storage::EmittedValue GlobalPoolingLayer::emit(const EmitContext& context) const
{
    const WindowEmission emission(context, {.over = m_options.over});
    const std::string op = m_options.rule == kernels::PoolingRule::Max ? "Max" : "Mean";
    const storage::NodeRef axes =
        context.graph.constant(op + "/reduction_indices", std::vector<std::int32_t>{1, 2});
    storage::Attrs attrs{{"T", DType::Float32}, {"Tidx", DType::Int32}};
    if (m_options.keepsDimensions) {
        attrs.push_back({"keep_dims", true});
    }
    const storage::NodeRef pooled = context.graph.add(op, op, {emission.images(), axes}, attrs);
    return {.dense = (m_options.keepsDimensions ? emission.rows(pooled) : pooled).input()};
}

} // namespace cannery::layers
