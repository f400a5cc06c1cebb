// SPDX-License-Identifier: Apache-2.0
#include "core/layers/global_pooling_layer.h"

#include "core/layers/image_window.h"
#include "core/layers/layer_errors.h"
#include "core/layers/lookup.h"

namespace cannery::layers {

Result<LayerSignature>
GlobalPoolingLayer::signature(std::span<const graph::Value* const> inputs) const
{
    CANNERY_TRY(expectInputs(m_kind, inputs, 1));
    CANNERY_TRY_ASSIGN(const ImageSize image, imageSizeOf(m_kind, *inputs[0]));
    LayerSignature signature;
    signature.output.width = image.channels;
    if (m_keepsDimensions) {
        signature.output.shape = {1, 1, image.channels};
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
    pool(step, m_buffers.inputs[0]->values(step.range()), m_buffers.output->output(step.range()));
}

void GlobalPoolingLayer::backward(const StepContext& step)
{
    if (m_buffers.inputs[0]->grad != nullptr) {
        poolGradient(step, {.src = m_buffers.inputs[0]->values(step.range()),
                            .dst = m_buffers.output->values(step.range()),
                            .dstGrad = m_buffers.output->gradient(step.range()),
                            .srcGrad = m_buffers.inputs[0]->gradient(step.range())});
    }
}

storage::EmittedValue GlobalPoolingLayer::emit(const EmitContext& context) const
{
    const storage::NodeRef axes = context.graph.constant(std::string(m_op) + "/reduction_indices",
                                                         std::vector<std::int32_t>{1, 2});
    storage::Attrs attrs{{"T", DType::Float32}, {"Tidx", DType::Int32}};
    if (m_keepsDimensions) {
        attrs.push_back({"keep_dims", true});
    }
    return {
        .dense =
            context.graph.add(m_op, m_op, {nodeRef(context.inputs[0].dense), axes}, attrs).input()};
}

} // namespace cannery::layers
