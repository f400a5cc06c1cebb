// SPDX-License-Identifier: Apache-2.0
#include "core/layers/windows/separable_convolution_layer.h"

#include "core/graph/initializers.h"
#include "core/layers/layer_errors.h"
#include "core/layers/spec_options.h"
#include "core/layers/windows/window_emission.h"

namespace cannery::layers {

namespace {

enum SeparableKernel : std::size_t
{
    kDepthwiseKernel,
    kPointwiseKernel,
};

/// Of single pixels.
ImageWindow pixelsOf(const ImageSize& image)
{
    return {.height = {.size = image.height}, .width = {.size = image.width}};
}

} // namespace

SeparableConvolutionLayer::SeparableConvolutionLayer(Options options)
    : m_options(std::move(options)), m_biasActivation(m_options.activation, m_options.usesBias)
{}

Result<LayerSignature>
SeparableConvolutionLayer::signature(std::span<const graph::Value* const> inputs) const
{
    CANNERY_TRY(expectInputs(m_options.kind, inputs, 1));
    const WindowsOver over = m_options.window.over;
    CANNERY_TRY_ASSIGN(const ImageSize image, imageSizeOf(m_options.kind, *inputs[0], over));
    CANNERY_TRY(checkWindow(m_options.kind, *inputs[0], image, m_options.window));
    const ImageWindow window = windowOver(image, m_options.window);
    const std::int64_t filters = m_options.filters;
    CANNERY_TRY(expectCountable(m_options.kind, *inputs[0],
                                static_cast<double>(image.channels) *
                                    static_cast<double>(m_options.multiplier)));
    const std::int64_t middle = image.channels * m_options.multiplier;
    for (const auto& [made, read] :
         {std::pair{middle, std::int64_t{1}}, std::pair{filters, middle}}) {
        CANNERY_TRY(checkSizes(
            m_options.kind, *inputs[0],
            {.output = window.output(1), .window = window, .filters = made, .channels = read}));
    }
    LayerSignature signature;
    signature.output = imageValue(window.output(filters), over);
    signature.variables = {
        {.suffix = "depthwise_kernel",
         .shape = kernelShape(window, over, {image.channels, m_options.multiplier}),
         .initializer = graph::glorotUniform()},
        {.suffix = "pointwise_kernel",
         .shape = kernelShape(pixelsOf(image), over, {middle, filters}),
         .initializer = graph::glorotUniform()},
    };
    m_biasActivation.addVariable(signature, filters);
    return signature;
}

void SeparableConvolutionLayer::prepare(const LayerBuffers& buffers)
{
    m_buffers = buffers;
    const ImageSize image = imageSizeOf(*buffers.inputs[0]);
    const ImageWindow window = windowOver(image, m_options.window);
    const ImageWindow pixels = pixelsOf(window.output(1));
    const std::int64_t channels = image.channels * m_options.multiplier;
    const bool trainsDepthwise = buffers.variables[kDepthwiseKernel].gradient != nullptr;
    m_depthwise = kernels::Convolution({.images = buffers.maxRows,
                                        .height = window.height,
                                        .width = window.width,
                                        .inChannels = image.channels,
                                        .filters = channels,
                                        .groups = image.channels,
                                        .trains = trainsDepthwise});
    m_pointwise =
        kernels::Convolution({.images = buffers.maxRows,
                              .height = pixels.height,
                              .width = pixels.width,
                              .inChannels = channels,
                              .filters = m_options.filters,
                              .trains = buffers.variables[kPointwiseKernel].gradient != nullptr});
    const auto floats =
        static_cast<std::size_t>(buffers.maxRows * m_depthwise.problem().dstFloats());
    m_middle.resize(floats);
    if (trainsDepthwise || buffers.inputs[0]->grad != nullptr) {
        m_middleGrad.resize(floats);
    }
    for (const std::size_t index : {kDepthwiseKernel, kPointwiseKernel}) {
        if (auto* gradient = buffers.variables[index].gradient; gradient != nullptr) {
            m_segments[index] = gradient->size();
            gradient->push_back({.rowCount = buffers.variables[index].values.rows});
        }
    }
    m_biasActivation.prepare(buffers, m_options.filters);
}

kernels::MatrixView SeparableConvolutionLayer::middle(std::vector<float>& memory,
                                                      const StepContext& step) const
{
    return kernels::matrixView(std::span<float>(memory), step.rows,
                               m_depthwise.problem().dstFloats());
}

/// Empty if the kernel is not trained.
std::span<float> SeparableConvolutionLayer::kernelGradient(std::size_t index) const
{
    auto* gradient = m_buffers.variables[index].gradient;
    return gradient == nullptr ? std::span<float>() : (*gradient)[m_segments[index]].dense.flat();
}

void SeparableConvolutionLayer::forward(const StepContext& step)
{
    const kernels::MatrixView between = middle(m_middle, step);
    m_depthwise.forward(step.pool, m_buffers.inputs[0]->values(step.rows),
                        m_buffers.variables[kDepthwiseKernel].values.flat(), {}, between);
    m_pointwise.forward(step.pool, between, m_buffers.variables[kPointwiseKernel].values.flat(),
                        m_biasActivation.epilogue(), m_biasActivation.target(step));
    m_biasActivation.finish(step);
}

void SeparableConvolutionLayer::backward(const StepContext& step)
{
    const kernels::MatrixView grad = m_biasActivation.backward(step);
    const std::span<float> pointwise = kernelGradient(kPointwiseKernel);
    if (!pointwise.empty()) {
        m_pointwise.kernelGradient(step.pool, middle(m_middle, step), grad, pointwise);
    }
    if (m_middleGrad.empty()) {
        return;
    }
    const kernels::MatrixView between = middle(m_middleGrad, step);
    m_pointwise.srcGradient(step.pool, grad, m_buffers.variables[kPointwiseKernel].values.flat(),
                            between);
    const std::span<float> depthwise = kernelGradient(kDepthwiseKernel);
    if (!depthwise.empty()) {
        m_depthwise.kernelGradient(step.pool, m_buffers.inputs[0]->values(step.rows), between,
                                   depthwise);
    }
    if (m_buffers.inputs[0]->grad != nullptr) {
        m_depthwise.srcGradient(step.pool, between,
                                m_buffers.variables[kDepthwiseKernel].values.flat(),
                                m_buffers.inputs[0]->gradient(step.rows));
    }
}

storage::EmittedValue SeparableConvolutionLayer::emit(const EmitContext& context) const
{
    const WindowEmission emission(context, m_options.window);
    const storage::NodeRef images = emission.images();
    const storage::NodeRef each =
        emission.depthwise(images, emission.kernel(*context.variables[kDepthwiseKernel]));
    const storage::NodeRef mixed = context.graph.add(
        "Conv2D", "separable_conv2d", {each, emission.kernel(*context.variables[kPointwiseKernel])},
        windowAttrs(pixelsOf(emission.window().output(1)), spec::Padding::valid));
    return m_biasActivation.emit(context, emission.rows(mixed));
}

std::unique_ptr<Layer> makeSeparableConv1dLayer(const spec::Layer& message)
{
    const spec::SeparableConv1dLayer& layer = message.separable_conv_1d();
    return std::make_unique<SeparableConvolutionLayer>(
        SeparableConvolutionLayer::Options{.kind = "separable_conv_1d",
                                           .window = {.over = WindowsOver::Steps,
                                                      .size = {layer.kernel_size()},
                                                      .strides = {layer.stride()},
                                                      .dilation = {layer.dilation_rate()},
                                                      .padding = layer.padding()},
                                           .filters = layer.filters(),
                                           .multiplier = layer.depth_multiplier(),
                                           .activation = activationOf(layer.activation()),
                                           .usesBias = layer.use_bias()});
}

std::unique_ptr<Layer> makeSeparableConv2dLayer(const spec::Layer& message)
{
    const spec::SeparableConv2dLayer& layer = message.separable_conv_2d();
    return std::make_unique<SeparableConvolutionLayer>(SeparableConvolutionLayer::Options{
        .kind = "separable_conv_2d",
        .window = {.size = {layer.kernel_size().begin(), layer.kernel_size().end()},
                   .strides = {layer.stride()},
                   .dilation = {layer.dilation_rate().begin(), layer.dilation_rate().end()},
                   .padding = layer.padding()},
        .filters = layer.filters(),
        .multiplier = layer.depth_multiplier(),
        .activation = activationOf(layer.activation()),
        .usesBias = layer.use_bias()});
}

} // namespace cannery::layers
