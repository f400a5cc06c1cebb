// SPDX-License-Identifier: Apache-2.0
#include "core/layers/batch_normalization_layer.h"

#include "core/layers/lookup.h"
#include "core/layers/row_axes.h"
#include "storage/tf/graphs/float_nodes.h"

namespace cannery::layers {

namespace {

/// Numbers of the units, in a shape that TensorFlow repeats over the dimensions behind them.
storage::NodeRef besideRows(const storage::FloatNodes& nodes, const storage::NodeRef& numbers,
                            std::size_t rank, std::size_t axis)
{
    if (axis + 1 == rank) {
        return numbers;
    }
    storage::FloatNodes::Ints shape(rank - axis, 1);
    shape[0] = -1;
    return nodes.reshape(numbers, shape);
}

/// Over all dimensions but that of the units: [units].
storage::NodeRef sumOfUnits(const storage::FloatNodes& nodes, storage::NodeRef values,
                            const std::vector<std::int64_t>& row, std::size_t axis)
{
    const std::size_t rank = row.size();
    if (axis + 1 == rank) {
        return nodes.sum(
            rank > 1 ? nodes.reshape(values, {-1, static_cast<std::int32_t>(row[axis])}) : values,
            0);
    }
    for (std::size_t dimension = 0; dimension <= rank; ++dimension) {
        if (dimension != axis + 1) {
            values = nodes.sum(values, static_cast<std::int32_t>(dimension), true);
        }
    }
    return nodes.flat(values);
}

} // namespace

/// The nodes of tf.nn.batch_normalization, with its names: input * scale + (beta - mean * scale).
storage::EmittedValue BatchNormalizationLayer::emitWith(const EmitContext& context,
                                                        const storage::NodeRef& mean,
                                                        const storage::NodeRef& variance) const
{
    storage::GraphDefBuilder& graph = context.graph;
    const storage::FloatNodes nodes(graph);
    const auto binary = [&](const char* op, const char* name, const storage::NodeRef& x,
                            const storage::NodeRef& y) {
        return graph.add(op, name, {x, y}, {{"T", DType::Float32}});
    };
    const std::size_t rank = graph::rowShape(context.layers.value(context.node.inputs[0])).size();
    const std::size_t axis = rowAxis(rank, m_axis);
    const storage::NodeRef raised =
        binary("AddV2", "batchnorm/add", variance, graph.constant("batchnorm/add/y", m_epsilon));
    storage::NodeRef scale =
        graph.add("Rsqrt", "batchnorm/Rsqrt", {raised}, {{"T", DType::Float32}});
    if (m_places.gamma) {
        scale = binary("Mul", "batchnorm/mul", scale, context.variables[*m_places.gamma]->read);
    }
    const storage::NodeRef scaled =
        binary("Mul", "batchnorm/mul_1", nodeRef(context.inputs[0].dense),
               besideRows(nodes, scale, rank, axis));
    storage::NodeRef shift = binary("Mul", "batchnorm/mul_2", mean, scale);
    if (m_places.beta) {
        shift = binary("Sub", "batchnorm/sub", context.variables[*m_places.beta]->read, shift);
    } else {
        shift = graph.add("Neg", "batchnorm/Neg", {shift}, {{"T", DType::Float32}});
    }
    return {.dense =
                binary("AddV2", "batchnorm/add_1", scaled, besideRows(nodes, shift, rank, axis))
                    .input()};
}

/// Inference reads the moving moments.
storage::EmittedValue BatchNormalizationLayer::emit(const EmitContext& context) const
{
    return emitWith(context, context.variables[m_places.movingMean]->read,
                    context.variables[m_places.movingVariance]->read);
}

/// moving -= (moving - moment of the batch)(1 - momentum)
storage::EmittedValue
BatchNormalizationLayer::emitTraining(const EmitContext& context,
                                      std::vector<storage::NodeRef>& updates) const
{
    if (m_isFrozen) {
        return emit(context);
    }
    const storage::FloatNodes nodes(context.graph);
    const graph::Value& value = context.layers.value(context.node.inputs[0]);
    const std::vector<std::int64_t> shape = graph::rowShape(value);
    const std::size_t axis = rowAxis(shape.size(), m_axis);
    const storage::NodeRef input = nodeRef(context.inputs[0].dense);
    storage::NodeRef rows = context.graph.add("Cast", "Cast", {context.batchSize},
                                              {{"SrcT", DType::Int32}, {"DstT", DType::Float32}});
    if (shape.size() > 1) {
        rows = nodes.multiply(rows, nodes.number(static_cast<float>(value.width / shape[axis])));
    }
    // A batch without rows has zero moments instead of NaN.
    const storage::NodeRef mean = nodes.divideOrZero(sumOfUnits(nodes, input, shape, axis), rows);
    const storage::NodeRef deviations =
        nodes.subtract(input, besideRows(nodes, mean, shape.size(), axis));
    const storage::NodeRef variance = nodes.divideOrZero(
        sumOfUnits(nodes, nodes.apply("Square", {deviations}), shape, axis), rows);
    const auto follow = [&](std::size_t moving, const storage::NodeRef& moment) {
        const storage::GraphVariable& variable = *context.variables[moving];
        const storage::NodeRef change =
            nodes.multiply(nodes.subtract(variable.read, moment), nodes.number(1.0F - m_momentum));
        updates.push_back(context.graph.add("AssignSubVariableOp", "AssignSubVariableOp",
                                            {variable.handle, change},
                                            {{"dtype", DType::Float32}}));
    };
    follow(m_places.movingMean, mean);
    // See unbiased().
    follow(m_places.movingVariance,
           isFusedInTensorFlow(shape)
               ? nodes.multiply(
                     variance,
                     nodes.divide(rows, nodes.larger(nodes.subtract(rows, nodes.number(1.0F)),
                                                     nodes.number(1.0F))))
               : variance);
    return emitWith(context, mean, variance);
}

} // namespace cannery::layers
