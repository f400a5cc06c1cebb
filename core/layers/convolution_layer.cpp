// SPDX-License-Identifier: Apache-2.0
#include "core/layers/convolution_layer.h"

#include "core/graph/initializers.h"
#include "core/layers/activation_emission.h"
#include "core/layers/layer_errors.h"
#include "core/layers/lookup.h"

namespace cannery::layers {

namespace {

constexpr ErrorKind kTooManyNumbers{
    "layers.too_many_numbers",
    "A layer {} would give {} numbers for each row of '{}', by a kernel of {} numbers: "
    "give it a smaller window, or fewer filters."};

/// Whole numbers beyond it are not exact in a double; memory ends long before.
constexpr double kMostNumbers = 9e15;

/// Before any of these products is formed in whole numbers.
Result<void> checkSizes(std::string_view kind, const graph::Value& input, const ImageWindow& window,
                        double filters, double channels)
{
    const double output = static_cast<double>(window.height.positions()) *
                          static_cast<double>(window.width.positions()) * filters;
    const double kernel = static_cast<double>(window.height.window) *
                          static_cast<double>(window.width.window) * channels * filters;
    if (output > kMostNumbers || kernel > kMostNumbers) {
        return fail(ErrorCode::InvalidArgument, kTooManyNumbers, kind,
                    fmt::format("{:.3g}", output), input.name, fmt::format("{:.3g}", kernel));
    }
    return {};
}

} // namespace

ConvolutionLayer::ConvolutionLayer(Options options)
    : m_options(std::move(options)), m_keepsInput(kernels::needsInput(m_options.activation))
{}

Result<LayerSignature>
ConvolutionLayer::signature(std::span<const graph::Value* const> inputs) const
{
    CANNERY_TRY(expectInputs(m_options.kind, inputs, 1));
    CANNERY_TRY_ASSIGN(const ImageSize image, imageSizeOf(m_options.kind, *inputs[0]));
    CANNERY_TRY(checkWindow(m_options.kind, *inputs[0], image, m_options.window));
    CANNERY_TRY(check(*inputs[0], image.channels));
    const ImageWindow window = windowOver(image, m_options.window);
    const auto [filters, groups] = channelsOf(image.channels);
    CANNERY_TRY(checkSizes(m_options.kind, *inputs[0], window, static_cast<double>(filters),
                           static_cast<double>(image.channels / groups)));
    LayerSignature signature;
    signature.output = imageValue(window.output(filters));
    LayerVariable kernel = kernelVariable(image.channels);
    kernel.initializer = graph::glorotUniform();
    kernel.shape.dims.insert(kernel.shape.dims.begin(),
                             {window.height.window, window.width.window});
    signature.variables.push_back(std::move(kernel));
    if (m_options.usesBias) {
        signature.variables.push_back(
            {.suffix = "bias", .shape = {filters}, .initializer = graph::zeros()});
    }
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
    m_activationKernels = &kernels::activationKernels({.rows = buffers.maxRows,
                                                       .cols = buffers.output->width,
                                                       .activation = m_options.activation});
    m_biasGrad = &kernels::biasGradKernels(
        {.rows = buffers.maxRows * window.output(1).pixels(), .cols = channels.filters});
    if (m_keepsInput) {
        m_sums.resize(static_cast<std::size_t>(buffers.maxRows * buffers.output->width));
    }
    if (auto* gradient = buffers.variables[0].gradient; gradient != nullptr) {
        m_kernelSegment = gradient->size();
        gradient->push_back({.rowCount = buffers.variables[0].values.rows});
    }
    if (m_options.usesBias && buffers.variables[1].gradient != nullptr) {
        m_biasSegment = buffers.variables[1].gradient->size();
        buffers.variables[1].gradient->push_back({.rowCount = 1});
    }
}

kernels::MatrixView ConvolutionLayer::sums(const StepContext& step)
{
    return m_keepsInput
               ? kernels::matrixView(std::span<float>(m_sums), step.rows, m_buffers.output->width)
               : m_buffers.output->output(step.rows);
}

void ConvolutionLayer::forward(const StepContext& step)
{
    const kernels::MatrixView target = sums(step);
    m_convolution.forward(
        step.pool, m_buffers.inputs[0]->values(step.rows), m_buffers.variables[0].values.flat(),
        {.bias = m_options.usesBias ? std::span<const float>(m_buffers.variables[1].values.flat())
                                    : std::span<const float>(),
         .activation = m_keepsInput ? kernels::Activation::Linear : m_options.activation},
        target);
    if (m_keepsInput) {
        m_activationKernels->forward(step.pool, m_options.activation, target, {},
                                     m_buffers.output->output(step.rows));
    }
}

void ConvolutionLayer::backward(const StepContext& step)
{
    const kernels::MatrixView grad = m_buffers.output->gradient(step.rows);
    if (m_options.activation != kernels::Activation::Linear) {
        m_activationKernels->backward(step.pool, m_options.activation,
                                      {.src = sums(step),
                                       .dst = m_buffers.output->values(step.rows),
                                       .dstGrad = grad,
                                       .srcGrad = grad});
    }
    if (m_options.usesBias && m_buffers.variables[1].gradient != nullptr) {
        m_biasGrad->run(step.pool, byLastAxis(grad, m_convolution.problem().filters),
                        (*m_buffers.variables[1].gradient)[m_biasSegment].dense.flat());
    }
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
    const std::vector<std::int64_t> shape =
        graph::rowShape(context.layers.value(context.node.inputs[0]));
    const ImageWindow window =
        windowOver({.height = shape[0], .width = shape[1], .channels = shape[2]}, m_options.window);
    storage::NodeRef sum = emitProduct(context, window);
    if (m_options.usesBias) {
        sum = context.graph.add("BiasAdd", "BiasAdd", {sum, context.variables[1]->read},
                                {{"T", DType::Float32}});
    }
    return {.dense = emitActivation(context.graph, m_options.activation, sum).input()};
}

} // namespace cannery::layers
