// SPDX-License-Identifier: Apache-2.0
#include "core/layers/windows/pooling_layer.h"

#include "core/layers/layer_errors.h"
#include "core/layers/windows/window_emission.h"

namespace cannery::layers {

PoolingLayer::PoolingLayer(Options options) : m_options(std::move(options))
{
    WindowOptions& window = m_options.window;
    if (window.size.empty()) {
        window.size = {2};
    }
    if (window.strides.empty()) {
        window.strides = window.size;
    }
}

Result<LayerSignature> PoolingLayer::signature(std::span<const graph::Value* const> inputs) const
{
    CANNERY_TRY(expectInputs(m_options.kind, inputs, 1));
    const WindowsOver over = m_options.window.over;
    CANNERY_TRY_ASSIGN(const ImageSize image, imageSizeOf(m_options.kind, *inputs[0], over));
    CANNERY_TRY(checkWindow(m_options.kind, *inputs[0], image, m_options.window));
    LayerSignature signature;
    signature.output = imageValue(windowOver(image, m_options.window).output(image.channels), over);
    return signature;
}

void PoolingLayer::prepare(const LayerBuffers& buffers)
{
    m_buffers = buffers;
    const ImageSize image = imageSizeOf(*buffers.inputs[0]);
    const ImageWindow window = windowOver(image, m_options.window);
    m_problem = {.rule = m_options.rule,
                 .height = window.height,
                 .width = window.width,
                 .channels = image.channels};
    m_pooling = &kernels::choose(kernels::poolingImplementations(), m_problem);
}

void PoolingLayer::forward(const StepContext& step)
{
    m_pooling->kernels->forward(m_problem, step.pool, m_buffers.inputs[0]->values(step.range()),
                                m_buffers.output->output(step.range()));
}

void PoolingLayer::backward(const StepContext& step)
{
    if (m_buffers.inputs[0]->grad != nullptr) {
        m_pooling->kernels->backward(
            m_problem, step.pool, m_buffers.inputs[0]->values(step.range()),
            m_buffers.output->values(step.range()), m_buffers.output->gradient(step.range()),
            m_buffers.inputs[0]->gradient(step.range()));
    }
}

storage::EmittedValue PoolingLayer::emit(const EmitContext& context) const
{
    const WindowEmission emission(context, m_options.window);
    const ImageWindow& window = emission.window();
    storage::Attrs attrs = windowAttrs(window, m_options.window.padding);
    attrs.push_back(
        {"ksize", std::vector<std::int64_t>{1, window.height.window, window.width.window, 1}});
    const storage::NodeRef pooled =
        context.graph.add(m_options.op, m_options.op, {emission.images()}, attrs);
    return {.dense = emission.rows(pooled).input()};
}

} // namespace cannery::layers
