// SPDX-License-Identifier: Apache-2.0
#include "core/export/penalty_emission.h"

#include "storage/tf/graphs/float_nodes.h"

#include <vector>

namespace cannery::exporting {

namespace {

using storage::FloatNodes;
using storage::NodeRef;

/// Whose gradient at 0 is 0, as that of TensorFlow's Abs.
NodeRef magnitudes(const FloatNodes& nodes, const NodeRef& values)
{
    return nodes.add(nodes.apply("Relu", {values}),
                     nodes.apply("Relu", {nodes.apply("Neg", {values})}));
}

/// l1 * sum of absolute values + l2 * sum of squares
NodeRef sums(const FloatNodes& nodes, const NodeRef& values, float l1, float l2)
{
    return nodes.add(
        nodes.multiply(nodes.number(l1), nodes.total(magnitudes(nodes, values))),
        nodes.multiply(nodes.number(l2), nodes.total(nodes.apply("Square", {values}))));
}

/// Half of the sum over the matrix of all cosines, without its diagonal.
NodeRef cosines(const FloatNodes& nodes, const NodeRef& values,
                const spec::OrthogonalRegularizer& regularizer, const Shape& shape)
{
    const bool isByRows = regularizer.mode() == spec::OrthogonalMode::rows;
    const NodeRef squares = nodes.sum(nodes.apply("Square", {values}), isByRows ? 1 : 0, true);
    const NodeRef units =
        nodes.divide(values, nodes.apply("Sqrt", {nodes.larger(squares, nodes.number(1e-12F))}));
    const NodeRef all =
        nodes.total(magnitudes(nodes, nodes.product(units, units, !isByRows, isByRows)));
    const NodeRef diagonal = nodes.total(nodes.apply("Square", {units}));
    const auto vectors = static_cast<double>(shape.dims[isByRows ? 0 : 1]);
    const double pairs = vectors * (vectors - 1.0) / 2.0;
    return nodes.multiply(nodes.number(static_cast<float>(regularizer.factor() / pairs / 2.0)),
                          nodes.subtract(all, diagonal));
}

NodeRef penaltyOf(storage::GraphDefBuilder& graph, const graph::Variable& variable)
{
    const FloatNodes nodes(graph);
    const NodeRef values =
        graph
            .variable(
                {.name = variable.name, .shape = variable.shape, .trainable = variable.trainable})
            .read;
    if (variable.regularizer.has_orthogonal()) {
        return cosines(nodes, values, variable.regularizer.orthogonal(), variable.shape);
    }
    const spec::L1L2Regularizer& own = variable.regularizer.l1_l2();
    return sums(nodes, values, static_cast<float>(own.l1()), static_cast<float>(own.l2()));
}

} // namespace

std::optional<NodeRef> emitPenalty(storage::GraphDefBuilder& graph, const graph::LayerGraph& layers,
                                   const layers::EmittedLayers& emitted, const NodeRef& batchSize)
{
    const auto scope = graph.enterScope("penalty");
    const FloatNodes nodes(graph);
    std::vector<NodeRef> parts;
    for (const graph::Variable& variable : layers.variables) {
        if (variable.regularizer.kind_case() != spec::Regularizer::KIND_NOT_SET) {
            parts.push_back(penaltyOf(graph, variable));
        }
    }
    for (const layers::EmittedActivity& activity : emitted.activities) {
        parts.push_back(nodes.divide(sums(nodes, activity.value, activity.l1, activity.l2),
                                     nodes.cast(batchSize, DType::Int32)));
    }
    if (parts.empty()) {
        return std::nullopt;
    }
    NodeRef total = parts.front();
    for (std::size_t i = 1; i < parts.size(); ++i) {
        total = nodes.add(total, parts[i]);
    }
    return total;
}

} // namespace cannery::exporting
