// SPDX-License-Identifier: Apache-2.0
#include "core/layers/normalization/normalization_layer.h"

#include "core/graph/initializers.h"
#include "core/layers/inputs/lookup.h"
#include "core/layers/layer_errors.h"
#include "kernels/ops/vector_ops.h"
#include "storage/tf/graphs/float_nodes.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace cannery::layers {

namespace {

constexpr ErrorKind kChannelNumbers{
    "layers.channel_numbers",
    "A layer normalization has {} numbers in {}, but rows of '{}', of shape {}, have {} channels: "
    "give one number for each channel, or one for all."};

/// keras.backend.epsilon()
constexpr float kLeastDeviation = 1e-7F;

template <typename Field>
std::vector<float> numbersOr(const Field& field, float otherwise)
{
    std::vector<float> numbers;
    for (const double number : field) {
        numbers.push_back(static_cast<float>(number));
    }
    return numbers.empty() ? std::vector<float>{otherwise} : numbers;
}

} // namespace

NormalizationLayer::NormalizationLayer(const spec::NormalizationLayer& message)
    : m_inverts(message.invert())
{
    if (message.mean_size() > 0 || message.variance_size() > 0) {
        m_mean = numbersOr(message.mean(), 0.0F);
        m_variance = numbersOr(message.variance(), 1.0F);
    }
}

Result<LayerSignature>
NormalizationLayer::signature(std::span<const graph::Value* const> inputs) const
{
    CANNERY_TRY(expectInputs("normalization", inputs, 1));
    CANNERY_TRY(expectDense("normalization", *inputs[0]));
    const std::int64_t channels = graph::rowShape(*inputs[0]).back();
    LayerSignature signature = signatureLike(*inputs[0]);
    if (!hasNumbers()) {
        const auto add = [&](const char* suffix, Shape shape, spec::Initializer initializer) {
            signature.variables.push_back({.suffix = suffix,
                                           .shape = std::move(shape),
                                           .initializer = std::move(initializer),
                                           .trainable = false});
        };
        add("mean", {channels}, graph::zeros());
        add("variance", {channels}, graph::ones());
        add("count", {}, graph::zeros());
        return signature;
    }
    for (const auto& [name, numbers] :
         {std::pair("mean", &m_mean), std::pair("variance", &m_variance)}) {
        const auto count = static_cast<std::int64_t>(numbers->size());
        if (count != 1 && count != channels) {
            return fail(ErrorCode::InvalidArgument, kChannelNumbers, count, name, inputs[0]->name,
                        graph::shapeText(*inputs[0]), channels);
        }
    }
    return signature;
}

void NormalizationLayer::prepare(const LayerBuffers& buffers)
{
    m_buffers = buffers;
    const std::array<std::int64_t, 1> channels{buffers.output->shape.back()};
    m_channels = kernels::broadcastOver(channels, buffers.output->shape);
    m_scalar = kernels::broadcastOver({}, buffers.output->shape);
    m_deviations.resize(kMostRowParts * variance().size());
}

std::span<const float> NormalizationLayer::mean() const
{
    return hasNumbers() ? m_mean : std::span<const float>(m_buffers.variables[0].values.flat());
}

std::span<const float> NormalizationLayer::variance() const
{
    return hasNumbers() ? m_variance : std::span<const float>(m_buffers.variables[1].values.flat());
}

std::span<const float> NormalizationLayer::deviation(const StepContext& step)
{
    const std::span<const float> variances = variance();
    const std::span<float> own =
        std::span(m_deviations).subspan(step.part * variances.size(), variances.size());
    std::ranges::transform(variances, own.begin(), [](float variance) {
        return std::max(std::sqrt(variance), kLeastDeviation);
    });
    return own;
}

void NormalizationLayer::apply(const StepContext& step, kernels::BroadcastOp op,
                               std::span<const float> numbers, kernels::MatrixView dst) const
{
    const auto count = static_cast<std::int64_t>(numbers.size());
    kernels::broadcastKernels().apply(step.pool, count == 1 ? m_scalar : m_channels, op,
                                      {numbers.data(), dst.rows, count, 0}, dst);
}

void NormalizationLayer::forward(const StepContext& step)
{
    const kernels::MatrixView dst = m_buffers.output->output(step.range());
    kernels::vectorKernels().copy(step.pool, m_buffers.inputs[0]->values(step.range()), dst);
    // Not by one factor and one summand: the difference is exact where x is close to the mean.
    if (m_inverts) {
        apply(step, kernels::BroadcastOp::Multiply, deviation(step), dst);
        apply(step, kernels::BroadcastOp::Add, mean(), dst);
    } else {
        apply(step, kernels::BroadcastOp::Subtract, mean(), dst);
        apply(step, kernels::BroadcastOp::Divide, deviation(step), dst);
    }
}

void NormalizationLayer::backward(const StepContext& step)
{
    if (m_buffers.inputs[0]->grad == nullptr) {
        return;
    }
    const kernels::MatrixView grad = m_buffers.inputs[0]->gradient(step.range());
    kernels::vectorKernels().copy(step.pool, m_buffers.output->gradient(step.range()), grad);
    apply(step, m_inverts ? kernels::BroadcastOp::Multiply : kernels::BroadcastOp::Divide,
          deviation(step), grad);
}

storage::EmittedValue NormalizationLayer::emit(const EmitContext& context) const
{
    const storage::FloatNodes nodes(context.graph);
    const storage::NodeRef input = nodeRef(context.inputs[0].dense);
    const storage::NodeRef mean =
        hasNumbers() ? context.graph.constant("mean", m_mean) : context.variables[0]->read;
    const storage::NodeRef variance =
        hasNumbers() ? context.graph.constant("variance", m_variance) : context.variables[1]->read;
    const storage::NodeRef deviation =
        nodes.larger(nodes.apply("Sqrt", {variance}), nodes.number(kLeastDeviation));
    const storage::NodeRef result = m_inverts
                                        ? nodes.add(nodes.multiply(input, deviation), mean)
                                        : nodes.divide(nodes.subtract(input, mean), deviation);
    return {.dense = result.input()};
}

std::unique_ptr<Layer> makeNormalizationLayer(const spec::Layer& message)
{
    return std::make_unique<NormalizationLayer>(message.normalization());
}

} // namespace cannery::layers
