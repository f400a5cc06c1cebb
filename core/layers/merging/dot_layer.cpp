// SPDX-License-Identifier: Apache-2.0
#include "core/layers/merging/dot_layer.h"

#include "core/layers/inputs/lookup.h"
#include "core/layers/layer_errors.h"
#include "core/layers/normalization/normalizing_layer.h"
#include "core/layers/row_axes.h"

#include <functional>
#include <numeric>

namespace cannery::layers {

namespace {

constexpr ErrorKind kDotAxes{"layers.dot_axes",
                             "A layer dot has {} axes; give it one for both inputs, or one for "
                             "each."};
constexpr ErrorKind kDotSizes{
    "layers.dot_sizes",
    "A layer dot cannot sum over dimension {} of '{}', of shape {}, and dimension {} of '{}', of "
    "shape {}: they have {} and {} numbers. Give dimensions of equal size."};

/// What gamma and beta are of rows that have none.
constexpr std::array<float, 1> kOne{1.0F};
constexpr std::array<float, 1> kZero{0.0F};

kernels::AxisFactor factorOf(const std::vector<std::int64_t>& row, std::size_t axis)
{
    const auto at = row.begin() + static_cast<std::ptrdiff_t>(axis);
    return {.outer = std::accumulate(row.begin(), at, std::int64_t{1}, std::multiplies<>()),
            .depth = *at,
            .inner = std::accumulate(at + 1, row.end(), std::int64_t{1}, std::multiplies<>())};
}

} // namespace

DotLayer::DotLayer(const spec::DotLayer& message)
    : m_axes(message.axes().begin(), message.axes().end()), m_normalizes(message.normalize())
{}

std::int64_t DotLayer::axisOf(std::size_t input) const
{
    return m_axes.size() == 1 ? m_axes[0] : m_axes[input];
}

Result<LayerSignature> DotLayer::signature(std::span<const graph::Value* const> inputs) const
{
    CANNERY_TRY(expectInputs("dot", inputs, 2));
    CANNERY_TRY(expectSeveralDense("dot", inputs));
    if (m_axes.empty() || m_axes.size() > 2) {
        return fail(ErrorCode::InvalidArgument, kDotAxes, m_axes.size());
    }
    std::array<std::size_t, 2> axes{};
    std::array<std::vector<std::int64_t>, 2> rows;
    for (std::size_t input = 0; input < 2; ++input) {
        CANNERY_TRY_ASSIGN(axes[input], rowAxis("dot", *inputs[input], axisOf(input)));
        rows[input] = graph::rowShape(*inputs[input]);
    }
    if (rows[0][axes[0]] != rows[1][axes[1]]) {
        return fail(ErrorCode::InvalidArgument, kDotSizes, axes[0] + 1, inputs[0]->name,
                    graph::shapeText(*inputs[0]), axes[1] + 1, inputs[1]->name,
                    graph::shapeText(*inputs[1]), rows[0][axes[0]], rows[1][axes[1]]);
    }
    LayerSignature signature;
    std::vector<std::int64_t>& shape = signature.output.shape;
    for (std::size_t input = 0; input < 2; ++input) {
        rows[input].erase(rows[input].begin() + static_cast<std::ptrdiff_t>(axes[input]));
        shape.insert(shape.end(), rows[input].begin(), rows[input].end());
    }
    if (shape.empty()) {
        shape.push_back(1);
    }
    signature.output.width = Shape(shape).elementCount();
    return signature;
}

std::vector<kernels::GroupNormDimension>
DotLayer::dimensions(std::size_t input, const std::vector<std::int64_t>& row) const
{
    std::vector<kernels::GroupNormDimension> result;
    for (const std::int64_t size : row) {
        result.push_back({.size = size});
    }
    result[rowAxis(row.size(), axisOf(input))].isTogether = true;
    return result;
}

void DotLayer::prepare(const LayerBuffers& buffers)
{
    m_buffers = buffers;
    std::array<kernels::AxisFactor, 2> factors;
    for (std::size_t input = 0; input < 2; ++input) {
        const std::vector<std::int64_t>& row = buffers.inputs[input]->shape;
        factors[input] = factorOf(row, rowAxis(row.size(), axisOf(input)));
        if (m_normalizes) {
            Side& side = m_sides[input];
            side.norm = {.shape = kernels::groupNormShape(dimensions(input, row)),
                         .rule = kernels::GroupNormRule::Length,
                         .epsilon = static_cast<float>(kernels::kLeastSquaredLength)};
            const auto rows = static_cast<std::size_t>(buffers.maxRows);
            side.statistics.resize(4 * rows * static_cast<std::size_t>(side.norm.shape.groups));
            side.values.resize(rows * static_cast<std::size_t>(side.norm.shape.width));
            side.grads.resize(buffers.inputs[input]->grad == nullptr ? 0 : side.values.size());
        }
    }
    m_problem = {.left = factors[0], .right = factors[1]};
}

kernels::ConstMatrixView DotLayer::valuesOf(std::size_t input, kernels::BlockRange rows) const
{
    const ValueBuffer& buffer = *m_buffers.inputs[input];
    if (!m_normalizes) {
        return buffer.values(rows);
    }
    return {m_sides[input].values.data() + rows.first * buffer.width, rows.count, buffer.width,
            buffer.width};
}

void DotLayer::scale(const StepContext& step, std::size_t input)
{
    Side& side = m_sides[input];
    const ValueBuffer& buffer = *m_buffers.inputs[input];
    const kernels::GroupNormKernels& kernels = kernels::groupNormKernels(side.norm);
    const kernels::GroupStatistics found =
        groupStatistics(side.statistics, side.norm.shape.groups, step.range());
    kernels.statistics(step.pool, side.norm, buffer.values(step.range()), found);
    kernels.normalize(step.pool, side.norm, found, buffer.values(step.range()), kOne, kZero,
                      {side.values.data() + step.range().first * buffer.width, step.range().count,
                       buffer.width, buffer.width});
}

void DotLayer::forward(const StepContext& step)
{
    if (m_normalizes) {
        scale(step, 0);
        scale(step, 1);
    }
    kernels::axisProductKernels(m_problem).product(step.pool, m_problem, valuesOf(0, step.range()),
                                                   valuesOf(1, step.range()),
                                                   m_buffers.output->output(step.range()));
}

void DotLayer::findGradient(const StepContext& step, std::size_t input)
{
    const kernels::BlockRange rows = step.range();
    const ValueBuffer& buffer = *m_buffers.inputs[input];
    Side& side = m_sides[input];
    const kernels::MatrixView grad =
        m_normalizes ? kernels::MatrixView{side.grads.data() + rows.first * buffer.width,
                                           rows.count, buffer.width, buffer.width}
                     : buffer.gradient(rows);
    const kernels::AxisProductKernels& kernels = kernels::axisProductKernels(m_problem);
    const auto find = input == 0 ? kernels.leftGradient : kernels.rightGradient;
    // The gradient of a factor is a product with the other one, scaled as in the forward pass.
    find(step.pool, m_problem, valuesOf(1 - input, rows), m_buffers.output->gradient(rows), grad);
    if (m_normalizes) {
        kernels::groupNormKernels(side.norm).srcGradient(
            step.pool, side.norm, groupStatistics(side.statistics, side.norm.shape.groups, rows),
            buffer.values(rows), kOne, grad, buffer.gradient(rows));
    }
}

void DotLayer::backward(const StepContext& step)
{
    for (std::size_t input = 0; input < 2; ++input) {
        if (m_buffers.inputs[input]->grad != nullptr) {
            findGradient(step, input);
        }
    }
}

storage::NodeRef DotLayer::emitMatrix(const EmitContext& context, std::size_t input,
                                      bool& isTransposed) const
{
    const storage::FloatNodes nodes(context.graph);
    const std::vector<std::int64_t> row =
        graph::rowShape(context.layers.value(context.node.inputs[input]));
    const kernels::AxisFactor factor = factorOf(row, rowAxis(row.size(), axisOf(input)));
    const auto outer = static_cast<std::int32_t>(factor.outer);
    const auto depth = static_cast<std::int32_t>(factor.depth);
    const auto inner = static_cast<std::int32_t>(factor.inner);
    storage::NodeRef values = nodeRef(context.inputs[input].dense);
    if (m_normalizes) {
        values = emitGroupNorm(nodes, values, dimensions(input, row),
                               kernels::GroupNormRule::Length, kernels::kLeastSquaredLength);
    }
    // Of the left factor rows are wanted, as Keras transposes it.
    isTransposed = input == 1 && outer == 1 && inner > 1;
    if (!isTransposed && inner > 1) {
        const storage::NodeRef order =
            context.graph.constant("transpose/perm", std::vector<std::int32_t>{0, 1, 3, 2});
        values = context.graph.add("Transpose", "transpose",
                                   {nodes.reshape(values, {-1, outer, depth, inner}), order},
                                   {{"T", DType::Float32}, {"Tperm", DType::Int32}});
    }
    const std::vector<std::int64_t> matrix =
        isTransposed ? std::vector<std::int64_t>{factor.depth, factor.inner}
                     : std::vector<std::int64_t>{factor.vectors(), factor.depth};
    return row == matrix ? values
                         : nodes.reshape(values, {-1, static_cast<std::int32_t>(matrix[0]),
                                                  static_cast<std::int32_t>(matrix[1])});
}

storage::EmittedValue DotLayer::emit(const EmitContext& context) const
{
    bool isTransposed = false;
    const storage::NodeRef left = emitMatrix(context, 0, isTransposed);
    const storage::NodeRef right = emitMatrix(context, 1, isTransposed);
    storage::Attrs attrs{{"T", DType::Float32}};
    if (!isTransposed) {
        attrs.emplace_back("adj_y", true);
    }
    const storage::NodeRef products =
        context.graph.add("BatchMatMulV2", "MatMul", {left, right}, attrs);
    const std::vector<std::int64_t> row =
        graph::rowShape(context.layers.value(context.node.output));
    // A matrix of products for each row; the dimensions that were folded into it come back.
    storage::FloatNodes::Ints shape(row.begin(), row.end());
    shape.insert(shape.begin(), -1);
    return {.dense = storage::FloatNodes(context.graph).reshape(products, shape).input()};
}

std::unique_ptr<Layer> makeDotLayer(const spec::Layer& message)
{
    return std::make_unique<DotLayer>(message.dot());
}

} // namespace cannery::layers
