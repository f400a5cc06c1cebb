// SPDX-License-Identifier: Apache-2.0
#include "core/layers/activations/prelu_layer.h"

#include "core/graph/initializers.h"
#include "core/layers/inputs/lookup.h"
#include "core/layers/layer_errors.h"
#include "storage/tf/graphs/float_nodes.h"

#include <algorithm>

namespace cannery::layers {

namespace {

constexpr ErrorKind kSharedAxis{"layers.prelu_axis",
                                "Rows of '{}' have {} dimensions ({}), and shared_axes names "
                                "dimension {}: name dimensions from "
                                "1 to {}."};

/// For each number of a row, the place of its slope among those of `shape`.
std::vector<std::int32_t> slopeIndices(const std::vector<std::int64_t>& rowShape,
                                       const std::vector<std::int64_t>& shape, std::int64_t width)
{
    std::vector<std::int32_t> indices;
    indices.reserve(static_cast<std::size_t>(width));
    for (std::int64_t number = 0; number < width; ++number) {
        std::int64_t rest = number;
        std::int64_t index = 0;
        std::int64_t stride = 1;
        for (std::size_t axis = rowShape.size(); axis-- > 0;) {
            index += shape[axis] == 1 ? 0 : rest % rowShape[axis] * stride;
            stride *= shape[axis];
            rest /= rowShape[axis];
        }
        indices.push_back(static_cast<std::int32_t>(index));
    }
    return indices;
}

} // namespace

PreluLayer::PreluLayer(const spec::PreluLayer& message)
    : m_sharedAxes(message.shared_axes().begin(), message.shared_axes().end())
{}

std::vector<std::int64_t> PreluLayer::slopeShape(const std::vector<std::int64_t>& rowShape) const
{
    std::vector<std::int64_t> shape = rowShape;
    for (const std::int64_t axis : m_sharedAxes) {
        shape[static_cast<std::size_t>(axis - 1)] = 1;
    }
    return shape;
}

Result<LayerSignature> PreluLayer::signature(std::span<const graph::Value* const> inputs) const
{
    CANNERY_TRY(expectInputs("prelu", inputs, 1));
    CANNERY_TRY(expectDense("prelu", *inputs[0]));
    const std::vector<std::int64_t> shape = graph::rowShape(*inputs[0]);
    const auto rank = static_cast<std::int64_t>(shape.size());
    for (const std::int64_t axis : m_sharedAxes) {
        if (axis < 1 || axis > rank) {
            return fail(ErrorCode::InvalidArgument, kSharedAxis, inputs[0]->name, rank,
                        graph::shapeText(*inputs[0]), axis, rank);
        }
    }
    LayerSignature signature = signatureLike(*inputs[0]);
    signature.variables = {
        {.suffix = "alpha", .shape = Shape(slopeShape(shape)), .initializer = graph::zeros()}};
    return signature;
}

void PreluLayer::prepare(const LayerBuffers& buffers)
{
    m_buffers = buffers;
    const std::int64_t width = buffers.output->width;
    m_kernels = &kernels::parametricActivationKernels({.rows = buffers.maxRows, .cols = width});
    const std::vector<std::int64_t>& shape = buffers.output->shape;
    m_indices = slopeIndices(shape, slopeShape(shape), width);
    if (auto* gradient = buffers.variables[0].gradient; gradient != nullptr) {
        gradient->push_back({.rowCount = buffers.variables[0].values.rows});
        m_columnGrads.resize(static_cast<std::size_t>(width));
        m_slopeGrads.resize(buffers.variables[0].values.flat().size());
    }
}

kernels::LearnedSlopes PreluLayer::slopes() const
{
    return {.slopes = m_buffers.variables[0].values.flat(), .indices = m_indices};
}

void PreluLayer::forward(const StepContext& step)
{
    m_kernels->learned(step.pool, slopes(), m_buffers.inputs[0]->values(step.range()),
                       m_buffers.output->output(step.range()));
}

void PreluLayer::backward(const StepContext& step)
{
    backwardWeights(step, 0);
    backwardRows(step);
}

void PreluLayer::backwardRows(const StepContext& part)
{
    if (m_buffers.inputs[0]->grad != nullptr) {
        m_kernels->learnedGradient(part.pool, slopes(), m_buffers.inputs[0]->values(part.range()),
                                   m_buffers.output->gradient(part.range()),
                                   m_buffers.inputs[0]->gradient(part.range()));
    }
}

std::vector<std::int64_t> PreluLayer::weightTasks() const
{
    return {m_buffers.output->width};
}

void PreluLayer::backwardWeights(const StepContext& step, std::size_t /*task*/)
{
    auto* gradient = m_buffers.variables[0].gradient;
    if (gradient == nullptr) {
        return;
    }
    m_kernels->slopeGradient(step.pool, m_buffers.inputs[0]->values(step.rows),
                             m_buffers.output->gradient(step.rows), m_columnGrads);
    // Numbers that share a slope are added up in their order within a row.
    std::ranges::fill(m_slopeGrads, 0.0);
    for (std::size_t number = 0; number < m_indices.size(); ++number) {
        m_slopeGrads[static_cast<std::size_t>(m_indices[number])] += m_columnGrads[number];
    }
    std::ranges::transform(m_slopeGrads, gradient->front().dense.flat().begin(),
                           [](double sum) { return static_cast<float>(sum); });
}

storage::EmittedValue PreluLayer::emit(const EmitContext& context) const
{
    const storage::FloatNodes nodes(context.graph);
    const storage::NodeRef input = nodeRef(context.inputs[0].dense);
    const storage::NodeRef above = nodes.apply("Relu", {input});
    const storage::NodeRef slope = nodes.apply("Neg", {context.variables[0]->read});
    const storage::NodeRef below = nodes.apply("Relu", {nodes.apply("Neg", {input})});
    return {.dense = nodes.add(above, nodes.multiply(slope, below)).input()};
}

std::unique_ptr<Layer> makePreluLayer(const spec::Layer& message)
{
    return std::make_unique<PreluLayer>(message.prelu());
}

} // namespace cannery::layers
