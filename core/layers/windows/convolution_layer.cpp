// SPDX-License-Identifier: Apache-2.0
#include "core/layers/windows/convolution_layer.h"

#include "core/graph/initializers.h"
#include "core/layers/layer_errors.h"
#include "core/layers/windows/window_emission.h"

namespace cannery::layers {

ConvolutionLayer::ConvolutionLayer(Options options)
    : m_options(std::move(options)), m_biasActivation(m_options.activation, m_options.usesBias)
{}

Result<LayerSignature>
ConvolutionLayer::signature(std::span<const graph::Value* const> inputs) const
{
    CANNERY_TRY(expectInputs(m_options.kind, inputs, 1));
    const WindowsOver over = m_options.window.over;
    CANNERY_TRY_ASSIGN(const ImageSize image, imageSizeOf(m_options.kind, *inputs[0], over));
    CANNERY_TRY(checkWindow(m_options.kind, *inputs[0], image, m_options.window));
    CANNERY_TRY(check(*inputs[0], image.channels));
    const ImageWindow window = windowOver(image, m_options.window);
    const auto [filters, groups] = channelsOf(image.channels);
    CANNERY_TRY(checkSizes(m_options.kind, *inputs[0],
                           {.output = window.output(1),
                            .window = window,
                            .filters = filters,
                            .channels = image.channels / groups}));
    LayerSignature signature;
    signature.output = imageValue(window.output(filters), over);
    LayerVariable kernel = kernelVariable(image.channels);
    kernel.initializer = graph::glorotUniform();
    kernel.shape = kernelShape(window, over, kernel.shape);
    signature.variables.push_back(std::move(kernel));
    m_biasActivation.addVariable(signature, filters);
    return signature;
}

void ConvolutionLayer::prepare(const LayerBuffers& buffers)
{
    m_buffers = buffers;
    const ImageSize image = imageSizeOf(*buffers.inputs[0]);
    const ImageWindow window = windowOver(image, m_options.window);
    const Channels channels = channelsOf(image.channels);
    m_convolution = kernels::Convolution({.images = buffers.maxRows,
                                          .height = window.height,
                                          .width = window.width,
                                          .inChannels = image.channels,
                                          .filters = channels.filters,
                                          .groups = channels.groups,
                                          .trains = buffers.variables[0].gradient != nullptr});
    if (auto* gradient = buffers.variables[0].gradient; gradient != nullptr) {
        m_kernelSegment = gradient->size();
        gradient->push_back({.rowCount = buffers.variables[0].values.rows});
    }
    m_biasActivation.prepare(buffers, channels.filters);
}

void ConvolutionLayer::forward(const StepContext& step)
{
    m_convolution.forward(step.pool, m_buffers.inputs[0]->values(step.rows),
                          m_buffers.variables[0].values.flat(), m_biasActivation.epilogue(),
                          m_biasActivation.target(step));
    m_biasActivation.finish(step);
}

void ConvolutionLayer::backward(const StepContext& step)
{
    const kernels::MatrixView grad = m_biasActivation.backward(step);
    if (auto* gradient = m_buffers.variables[0].gradient; gradient != nullptr) {
        m_convolution.kernelGradient(step.pool, m_buffers.inputs[0]->values(step.rows), grad,
                                     (*gradient)[m_kernelSegment].dense.flat());
    }
    if (m_buffers.inputs[0]->grad != nullptr) {
        m_convolution.srcGradient(step.pool, grad, m_buffers.variables[0].values.flat(),
                                  m_buffers.inputs[0]->gradient(step.rows));
    }
}

storage::EmittedValue ConvolutionLayer::emit(const EmitContext& context) const
{
    const WindowEmission emission(context, m_options.window);
    const storage::NodeRef images = emission.images();
    const storage::NodeRef kernel = emission.kernel(*context.variables[0]);
    const storage::NodeRef product = m_options.isDepthwise ? emission.depthwise(images, kernel)
                                                           : emission.convolution(images, kernel);
    return m_biasActivation.emit(context, emission.rows(product));
}

} // namespace cannery::layers
