// SPDX-License-Identifier: Apache-2.0
#include "core/layers/windows/transposed_convolution_layer.h"

#include "core/graph/initializers.h"
#include "core/layers/layer_errors.h"
#include "core/layers/spec_options.h"
#include "core/layers/windows/window_emission.h"

#include <algorithm>

namespace cannery::layers {

namespace {

constexpr ErrorKind kOutputPadding{
    "layers.output_padding",
    "With output_padding {} a layer {} would make rows of shape {} of '{}', {}, but windows with "
    "its strides would make other rows of those: give numbers below the strides, or none."};

/// As the class says; 0 or less if there is no such output.
std::int64_t outputSize(const kernels::WindowAxis& axis, std::int64_t inputSize,
                        std::optional<std::int64_t> outputPadding, spec::Padding::Kind padding)
{
    const bool isSame = padding == spec::Padding::same;
    if (outputPadding) {
        return (inputSize - 1) * axis.stride + axis.reach() + *outputPadding -
               (isSame ? axis.reach() / 2 * 2 : 0);
    }
    return inputSize * axis.stride +
           (isSame ? 0 : std::max<std::int64_t>(axis.reach() - axis.stride, 0));
}

} // namespace

TransposedConvolutionLayer::TransposedConvolutionLayer(Options options)
    : m_options(std::move(options)), m_biasActivation(m_options.activation, m_options.usesBias)
{}

ImageWindow TransposedConvolutionLayer::windowOf(const ImageSize& image) const
{
    const bool hasOwnPadding = !m_options.outputPadding.empty();
    const auto along = [&](std::size_t axis, std::int64_t pixels) {
        kernels::WindowAxis window{.window = pairOf(m_options.window.size, {1, 1})[axis],
                                   .stride = pairOf(m_options.window.strides, {1, 1})[axis],
                                   .dilation = pairOf(m_options.window.dilation, {1, 1})[axis]};
        window.size = outputSize(
            window, pixels,
            hasOwnPadding ? std::optional(pairOf(m_options.outputPadding, {})[axis]) : std::nullopt,
            m_options.window.padding);
        return windowAxis(window, m_options.window.padding);
    };
    return {.height = m_options.window.over == WindowsOver::Steps ? kernels::WindowAxis()
                                                                  : along(0, image.height),
            .width = along(1, image.width)};
}

Result<LayerSignature>
TransposedConvolutionLayer::signature(std::span<const graph::Value* const> inputs) const
{
    CANNERY_TRY(expectInputs(m_options.kind, inputs, 1));
    const WindowsOver over = m_options.window.over;
    CANNERY_TRY_ASSIGN(const ImageSize image, imageSizeOf(m_options.kind, *inputs[0], over));
    CANNERY_TRY(checkNumbers(m_options.kind, m_options.window));
    CANNERY_TRY(checkNumbers(m_options.kind, "output_padding", m_options.outputPadding));
    const auto strides = pairOf(m_options.window.strides, {1, 1});
    CANNERY_TRY(
        expectCountable(m_options.kind, *inputs[0],
                        static_cast<double>(image.height) * static_cast<double>(strides[0]) +
                            static_cast<double>(image.width) * static_cast<double>(strides[1])));
    const ImageWindow window = windowOf(image);
    const ImageSize output{window.height.size, window.width.size, m_options.filters};
    if (window.height.positions() != image.height || window.width.positions() != image.width) {
        return fail(ErrorCode::InvalidArgument, kOutputPadding,
                    Shape(m_options.outputPadding).toString(), m_options.kind,
                    graph::shapeText(imageValue(output, over)), inputs[0]->name,
                    graph::shapeText(*inputs[0]));
    }
    CANNERY_TRY(checkSizes(m_options.kind, *inputs[0],
                           {.output = output,
                            .window = window,
                            .filters = m_options.filters,
                            .channels = image.channels}));
    LayerSignature signature;
    signature.output = imageValue(output, over);
    signature.variables.push_back(
        {.suffix = "kernel",
         .shape = kernelShape(window, over, {m_options.filters, image.channels}),
         .initializer = graph::glorotUniform()});
    m_biasActivation.addVariable(signature, m_options.filters);
    return signature;
}

void TransposedConvolutionLayer::prepare(const LayerBuffers& buffers)
{
    m_buffers = buffers;
    const ImageSize image = imageSizeOf(*buffers.inputs[0]);
    const ImageWindow window = windowOf(image);
    m_convolution = kernels::Convolution({.images = buffers.maxRows,
                                          .height = window.height,
                                          .width = window.width,
                                          .inChannels = m_options.filters,
                                          .filters = image.channels,
                                          .trains = buffers.variables[0].gradient != nullptr});
    if (auto* gradient = buffers.variables[0].gradient; gradient != nullptr) {
        m_kernelSegment = gradient->size();
        gradient->push_back({.rowCount = buffers.variables[0].values.rows});
    }
    m_biasActivation.prepare(buffers, m_options.filters);
}

void TransposedConvolutionLayer::forward(const StepContext& step)
{
    m_convolution.srcGradient(step.pool, m_buffers.inputs[0]->values(step.rows),
                              m_buffers.variables[0].values.flat(), m_biasActivation.target(step));
    m_biasActivation.apply(step);
}

void TransposedConvolutionLayer::backward(const StepContext& step)
{
    const kernels::MatrixView grad = m_biasActivation.backward(step);
    if (auto* gradient = m_buffers.variables[0].gradient; gradient != nullptr) {
        m_convolution.kernelGradient(step.pool, grad, m_buffers.inputs[0]->values(step.rows),
                                     (*gradient)[m_kernelSegment].dense.flat());
    }
    if (m_buffers.inputs[0]->grad != nullptr) {
        m_convolution.forward(step.pool, grad, m_buffers.variables[0].values.flat(), {},
                              m_buffers.inputs[0]->gradient(step.rows));
    }
}

storage::EmittedValue TransposedConvolutionLayer::emit(const EmitContext& context) const
{
    const WindowEmission emission(context, m_options.window);
    const ImageWindow window =
        windowOf(imageSizeOf(graph::rowShape(context.layers.value(context.node.inputs[0]))));
    const storage::NodeRef images = emission.images();
    const storage::NodeRef product = emission.transposed(window, m_options.filters, images,
                                                         emission.kernel(*context.variables[0]));
    return m_biasActivation.emit(context, emission.rows(product));
}

std::unique_ptr<Layer> makeConv1dTransposeLayer(const spec::Layer& message)
{
    const spec::Conv1dTransposeLayer& layer = message.conv_1d_transpose();
    std::vector<std::int64_t> outputPadding;
    if (layer.has_output_padding()) {
        outputPadding.push_back(layer.output_padding());
    }
    return std::make_unique<TransposedConvolutionLayer>(
        TransposedConvolutionLayer::Options{.kind = "conv_1d_transpose",
                                            .window = {.over = WindowsOver::Steps,
                                                       .size = {layer.kernel_size()},
                                                       .strides = {layer.stride()},
                                                       .dilation = {},
                                                       .padding = layer.padding()},
                                            .outputPadding = std::move(outputPadding),
                                            .filters = layer.filters(),
                                            .activation = activationOf(layer.activation()),
                                            .usesBias = layer.use_bias()});
}

std::unique_ptr<Layer> makeConv2dTransposeLayer(const spec::Layer& message)
{
    const spec::Conv2dTransposeLayer& layer = message.conv_2d_transpose();
    return std::make_unique<TransposedConvolutionLayer>(TransposedConvolutionLayer::Options{
        .kind = "conv_2d_transpose",
        .window = {.size = {layer.kernel_size().begin(), layer.kernel_size().end()},
                   .strides = {layer.strides().begin(), layer.strides().end()},
                   .dilation = {layer.dilation_rate().begin(), layer.dilation_rate().end()},
                   .padding = layer.padding()},
        .outputPadding = {layer.output_padding().begin(), layer.output_padding().end()},
        .filters = layer.filters(),
        .activation = activationOf(layer.activation()),
        .usesBias = layer.use_bias()});
}

} // namespace cannery::layers
