// SPDX-License-Identifier: Apache-2.0
#include "core/layers/inputs/cluster_distances_layer.h"

#include "core/base/check.h"
#include "core/graph/initializers.h"
#include "core/layers/inputs/lookup.h"
#include "core/layers/inputs/points_layer.h"
#include "core/layers/layer_errors.h"

#include <algorithm>

namespace cannery::layers {

namespace {

/// Sums of squares along the columns.
storage::NodeRef emitSquares(storage::GraphDefBuilder& graph, const char* scope,
                             const storage::NodeRef& rows, bool keepsDimension)
{
    const auto open = graph.enterScope(scope);
    const auto squares = graph.add("Square", "Square", {rows}, {{"T", DType::Float32}});
    return graph.add(
        "Sum", "Sum", {squares, graph.constant("axis", std::vector<std::int32_t>{1})},
        {{"T", DType::Float32}, {"Tidx", DType::Int32}, {"keep_dims", keepsDimension}});
}

} // namespace

Result<LayerSignature>
ClusterDistancesLayer::signature(std::span<const graph::Value* const> inputs) const
{
    CANNERY_TRY(expectInputs("cluster_distances", inputs, 1));
    CANNERY_TRY(expectDense("cluster_distances", *inputs[0]));
    LayerSignature signature;
    signature.output.width = m_options.clusters;
    signature.variables = {{.suffix = "clusters",
                            .shape = {m_options.clusters, inputs[0]->width},
                            .initializer = graph::zeros()}};
    return signature;
}

void ClusterDistancesLayer::prepare(const LayerBuffers& buffers)
{
    m_buffers = buffers;
    const kernels::MatrixView& centers = buffers.variables[0].values;
    m_kernels = &kernels::nearestCentersKernels({.depth = centers.cols, .centers = centers.rows});
    // Cosine distances are 1 - x · c, for which TensorFlow divides both by their length.
    if (m_options.dividesCenters) {
        m_divided.resize(static_cast<std::size_t>(centers.rows * centers.cols));
    }
}

void ClusterDistancesLayer::forward(const StepContext& step)
{
    kernels::ConstMatrixView centers = m_buffers.variables[0].values;
    if (m_options.dividesCenters) {
        // Into memory of its own: the variable keeps the centers as they are trained.
        std::ranges::copy(centers.flat(), m_divided.begin());
        const kernels::MatrixView divided =
            kernels::matrixView(std::span<float>(m_divided), centers.rows, centers.cols);
        divideByLength(divided);
        centers = divided;
    }
    m_kernels->distances(step.pool, m_options.distance, m_buffers.inputs[0]->values(step.rows),
                         centers, m_buffers.output->output(step.rows));
}

Result<void> ClusterDistancesLayer::placeForward(const Placement& placement)
{
    kernels::AcceleratorProgram& program = placement.program;
    kernels::ConstMatrixView centers = program.at(m_buffers.variables[0].values);
    if (m_options.dividesCenters) {
        centers = placeUnitLength(placement, centers);
    }
    program.add(
        kernels::CenterDistances{.distance = m_options.distance,
                                 .points = program.at(m_buffers.inputs[0]->values(placement.rows)),
                                 .centers = centers,
                                 .squares = program.scratchFloats(placement.rows + centers.rows),
                                 .dst = program.at(m_buffers.output->output(placement.rows))},
        placement.label);
    return {};
}

void ClusterDistancesLayer::backward(const StepContext& /*step*/)
{
    CANNERY_CHECK(!"no optimizer trains centers");
}

storage::EmittedValue ClusterDistancesLayer::emit(const EmitContext& context) const
{
    storage::GraphDefBuilder& graph = context.graph;
    const storage::Attrs floats{{"T", DType::Float32}};
    const storage::NodeRef points = nodeRef(context.inputs[0].dense);
    storage::NodeRef centers = context.variables[0]->read;
    if (m_options.dividesCenters) {
        centers = emitUnitLength(graph, centers);
    }
    const auto products = graph.add("MatMul", "MatMul", {points, centers},
                                    {{"T", DType::Float32}, {"transpose_b", true}});
    if (m_options.distance == kernels::CenterDistance::Cosine) {
        const auto one = graph.constant("one", 1.0F);
        return {.dense = graph.add("Sub", "sub", {one, products}, floats).input()};
    }
    // |x - c|² = |x|² - 2 x · c + |c|², as TensorFlow computes it.
    const auto twice = graph.add("Mul", "mul", {graph.constant("two", 2.0F), products}, floats);
    const auto ofPoints = emitSquares(graph, "points", points, true);
    const auto difference = graph.add("Sub", "sub", {ofPoints, twice}, floats);
    const auto ofCenters = emitSquares(graph, "centers", centers, false);
    return {.dense = graph.add("AddV2", "add", {difference, ofCenters}, floats).input()};
}

} // namespace cannery::layers
