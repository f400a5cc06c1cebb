// SPDX-License-Identifier: Apache-2.0
#include "core/layers/normalization/normalizing_layer.h"

#include "core/graph/initializers.h"
#include "core/layers/inputs/lookup.h"
#include "core/layers/layer_errors.h"

namespace cannery::layers {

kernels::GroupStatistics groupStatistics(std::span<double> memory, std::int64_t groups,
                                         kernels::BlockRange rows)
{
    // Each kind for all rows, so that a pass over all of them finds what passes over parts left.
    const std::size_t kind = memory.size() / 4;
    const auto first = static_cast<std::size_t>(rows.first * groups);
    const auto count = static_cast<std::size_t>(rows.count * groups);
    return {.mean = memory.subspan(first, count),
            .inverse = memory.subspan(kind + first, count),
            .sums = memory.subspan(2 * kind + first, count),
            .products = memory.subspan(3 * kind + first, count)};
}

Result<LayerSignature>
NormalizingLayer::signature(std::span<const graph::Value* const> inputs) const
{
    CANNERY_TRY(expectInputs(m_options.kind, inputs, 1));
    CANNERY_TRY(expectDense(m_options.kind, *inputs[0]));
    CANNERY_TRY(check(*inputs[0]));
    const Shape shape = parameterShape(graph::rowShape(*inputs[0]));
    LayerSignature signature = signatureLike(*inputs[0]);
    if (m_options.scales) {
        signature.variables.push_back(
            {.suffix = "gamma", .shape = shape, .initializer = graph::ones()});
    }
    if (m_options.centers) {
        signature.variables.push_back(
            {.suffix = "beta", .shape = shape, .initializer = graph::zeros()});
    }
    return signature;
}

void NormalizingLayer::prepare(const LayerBuffers& buffers)
{
    m_buffers = buffers;
    m_problem = {.shape = kernels::groupNormShape(dimensions(buffers.output->shape)),
                 .rule = m_options.rule,
                 .epsilon = static_cast<float>(m_options.epsilon)};
    m_kernels = &kernels::groupNormKernels(m_problem);
    const kernels::GroupNormShape& shape = m_problem.shape;
    const auto parameters = static_cast<std::size_t>(shape.parameters);
    m_statistics.resize(static_cast<std::size_t>(4 * buffers.maxRows * shape.groups));
    m_ones.assign(parameters, 1.0F);
    m_zeros.assign(parameters, 0.0F);
    m_gammaGrad.resize(parameters);
    m_betaGrad.resize(parameters);
    m_parts.resize(buffers.variables.empty()
                       ? 0
                       : static_cast<std::size_t>(kernels::groupNormPartsSize(shape)));
    m_segments.clear();
    m_trains = false;
    for (const VariableBuffer& variable : buffers.variables) {
        m_segments.push_back(variable.gradient == nullptr ? 0 : variable.gradient->size());
        if (variable.gradient != nullptr) {
            m_trains = true;
            variable.gradient->push_back({.rowCount = variable.values.rows});
        }
    }
}

kernels::GroupStatistics NormalizingLayer::statistics(kernels::BlockRange rows)
{
    return groupStatistics(m_statistics, m_problem.shape.groups, rows);
}

std::span<const float> NormalizingLayer::gamma() const
{
    return m_options.scales ? std::span<const float>(m_buffers.variables[0].values.flat()) : m_ones;
}

std::span<const float> NormalizingLayer::beta() const
{
    return m_options.centers
               ? std::span<const float>(m_buffers.variables[betaIndex()].values.flat())
               : m_zeros;
}

void NormalizingLayer::forward(const StepContext& step)
{
    const kernels::ConstMatrixView src = m_buffers.inputs[0]->values(step.range());
    const kernels::GroupStatistics found = statistics(step.range());
    m_kernels->statistics(step.pool, m_problem, src, found);
    m_kernels->normalize(step.pool, m_problem, found, src, gamma(), beta(),
                         m_buffers.output->output(step.range()));
}

void NormalizingLayer::backward(const StepContext& step)
{
    backwardRows(step);
    if (m_trains) {
        backwardWeights(step, 0);
    }
}

void NormalizingLayer::backwardRows(const StepContext& part)
{
    if (m_buffers.inputs[0]->grad != nullptr) {
        m_kernels->srcGradient(part.pool, m_problem, statistics(part.range()),
                               m_buffers.inputs[0]->values(part.range()), gamma(),
                               m_buffers.output->gradient(part.range()),
                               m_buffers.inputs[0]->gradient(part.range()));
    }
}

/// One for gamma and beta together, which come from the same pass.
std::vector<std::int64_t> NormalizingLayer::weightTasks() const
{
    return m_trains ? std::vector<std::int64_t>{2 * m_problem.shape.width}
                    : std::vector<std::int64_t>();
}

std::span<float> NormalizingLayer::gradientOf(bool isVariable, std::size_t index,
                                              std::vector<float>& otherwise)
{
    if (isVariable && m_buffers.variables[index].gradient != nullptr) {
        return (*m_buffers.variables[index].gradient)[m_segments[index]].dense.flat();
    }
    return otherwise;
}

void NormalizingLayer::backwardWeights(const StepContext& step, std::size_t /*task*/)
{
    m_kernels->parameterGradients(step.pool, m_problem, statistics(step.range()),
                                  m_buffers.inputs[0]->values(step.range()),
                                  m_buffers.output->gradient(step.range()), m_parts,
                                  gradientOf(m_options.scales, 0, m_gammaGrad),
                                  gradientOf(m_options.centers, betaIndex(), m_betaGrad));
}

storage::NodeRef emitGroupNorm(const storage::FloatNodes& nodes, const storage::NodeRef& input,
                               std::span<const kernels::GroupNormDimension> dimensions,
                               kernels::GroupNormRule rule, double epsilon)
{
    float size = 1.0F;
    const auto sumOf = [&](storage::NodeRef values) {
        size = 1.0F;
        for (std::size_t index = 0; index < dimensions.size(); ++index) {
            if (dimensions[index].isTogether) {
                values = nodes.sum(values, static_cast<std::int32_t>(index) + 1, true);
                size *= static_cast<float>(dimensions[index].size);
            }
        }
        return values;
    };
    const auto square = [&](const storage::NodeRef& values) {
        return nodes.apply("Square", {values});
    };
    const storage::NodeRef least = nodes.number(static_cast<float>(epsilon));
    if (rule == kernels::GroupNormRule::Length) {
        const storage::NodeRef squares = nodes.larger(sumOf(square(input)), least);
        return nodes.multiply(input, nodes.apply("Rsqrt", {squares}));
    }
    const storage::NodeRef sum = sumOf(input);
    const storage::NodeRef distance = nodes.subtract(input, nodes.divide(sum, nodes.number(size)));
    const storage::NodeRef variance = nodes.divide(sumOf(square(distance)), nodes.number(size));
    return nodes.multiply(distance, nodes.apply("Rsqrt", {nodes.add(variance, least)}));
}

storage::EmittedValue NormalizingLayer::emit(const EmitContext& context) const
{
    const storage::FloatNodes nodes(context.graph);
    const std::vector<std::int64_t> row =
        graph::rowShape(context.layers.value(context.node.inputs[0]));
    const std::vector<kernels::GroupNormDimension> own = dimensions(row);
    storage::FloatNodes::Ints groupedShape{-1};
    storage::FloatNodes::Ints parameters;
    for (const kernels::GroupNormDimension& dimension : own) {
        groupedShape.push_back(static_cast<std::int32_t>(dimension.size));
        parameters.push_back(dimension.hasParameters ? groupedShape.back() : 1);
    }
    const bool isCut = own.size() != row.size();
    storage::NodeRef result = nodeRef(context.inputs[0].dense);
    if (isCut) {
        result = nodes.reshape(result, groupedShape);
    }
    result = emitGroupNorm(nodes, result, own, m_options.rule, m_options.epsilon);
    const auto parameter = [&](std::size_t index) {
        return nodes.reshape(context.variables[index]->read, parameters);
    };
    if (m_options.scales) {
        result = nodes.multiply(result, parameter(0));
    }
    if (m_options.centers) {
        result = nodes.add(result, parameter(betaIndex()));
    }
    if (isCut) {
        storage::FloatNodes::Ints shape(row.begin(), row.end());
        shape.insert(shape.begin(), -1);
        result = nodes.reshape(result, shape);
    }
    return {.dense = result.input()};
}

} // namespace cannery::layers
