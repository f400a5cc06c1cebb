// SPDX-License-Identifier: Apache-2.0
#include "core/features/sparse_nodes.h"

#include <cstdint>
#include <vector>

namespace cannery::features {

using storage::GraphDefBuilder;
using storage::NodeRef;

namespace {

NodeRef shapeOf(GraphDefBuilder& graph, const NodeRef& dense, DType dtype)
{
    return graph.add("Shape", "dense_shape", {dense}, {{"T", dtype}, {"out_type", DType::Int64}});
}

NodeRef gather(GraphDefBuilder& graph, const NodeRef& params, const NodeRef& places, DType dtype)
{
    return graph.add("GatherV2", "GatherV2",
                     {params, places, graph.constant("axis", std::int32_t{0})},
                     {{"Tparams", dtype}, {"Tindices", DType::Int64}, {"Taxis", DType::Int32}});
}

NodeRef flat(GraphDefBuilder& graph, const NodeRef& node, DType dtype)
{
    return graph.add("Reshape", "Reshape",
                     {node, graph.constant("shape", std::vector<std::int32_t>{-1})},
                     {{"T", dtype}});
}

} // namespace

storage::EmittedValue SparseNodes::value() const
{
    storage::EmittedValue result;
    result.indices = indices.input();
    result.ids = values.input();
    result.denseShape = shape.input();
    return result;
}

SparseNodes cellsUnequal(GraphDefBuilder& graph, const NodeRef& dense, const NodeRef& ignored,
                         DType dtype)
{
    const auto scope = graph.enterScope("to_sparse_input");
    const NodeRef kept = graph.add("NotEqual", "NotEqual", {dense, ignored}, {{"T", dtype}});
    const NodeRef indices = graph.add("Where", "indices", {kept});
    const NodeRef values = graph.add("GatherNd", "values", {dense, indices},
                                     {{"Tparams", dtype}, {"Tindices", DType::Int64}});
    return {indices, values, shapeOf(graph, dense, dtype)};
}

SparseNodes cellsOfDense(GraphDefBuilder& graph, const NodeRef& dense, DType dtype)
{
    const auto scope = graph.enterScope("to_sparse");
    const NodeRef shape = shapeOf(graph, dense, dtype);
    const NodeRef all = graph.add("Fill", "all", {shape, graph.constant("true", true)},
                                  {{"T", DType::Bool}, {"index_type", DType::Int64}});
    return {graph.add("Where", "indices", {all}), flat(graph, dense, dtype), shape};
}

SparseNodes withoutValue(GraphDefBuilder& graph, const SparseNodes& cells, const NodeRef& ignored,
                         DType dtype)
{
    const auto scope = graph.enterScope("drop_ignored");
    const NodeRef kept = graph.add("NotEqual", "NotEqual", {cells.values, ignored}, {{"T", dtype}});
    const NodeRef places = flat(graph, graph.add("Where", "Where", {kept}), DType::Int64);
    return {gather(graph, cells.indices, places, DType::Int64),
            gather(graph, cells.values, places, dtype), cells.shape};
}

SparseNodes withRowsFilled(GraphDefBuilder& graph, const SparseNodes& cells, const NodeRef& value,
                           DType dtype)
{
    const auto scope = graph.enterScope("fill_empty_rows");
    // A batch without any cell has width 0; its filled rows need width 1.
    const NodeRef smallest = graph.constant("smallest", std::vector<std::int64_t>{0, 1});
    const NodeRef shape =
        graph.add("Maximum", "Maximum", {cells.shape, smallest}, {{"T", DType::Int64}});
    const NodeRef filled = graph.add("SparseFillEmptyRows", "SparseFillEmptyRows",
                                     {cells.indices, cells.values, shape, value}, {{"T", dtype}});
    return {filled, filled.at(1), shape};
}

SparseNodes noCells(GraphDefBuilder& graph, const NodeRef& batchSize, DType dtype)
{
    const auto scope = graph.enterScope("no_cells");
    const NodeRef rows =
        graph.add("Cast", "rows", {batchSize}, {{"SrcT", DType::Int32}, {"DstT", DType::Int64}});
    const NodeRef width = graph.constant("width", std::int64_t{1});
    const NodeRef shape =
        graph.add("Pack", "shape", {rows, width}, {{"N", 2}, {"T", DType::Int64}});
    const NodeRef values = graph.constant(
        "values", dtype == DType::String ? storage::HostTensor::ofStrings({})
                                         : storage::HostTensor::zeros(dtype, Shape{0}));
    return {graph.constant("indices", storage::HostTensor::zeros(DType::Int64, Shape{0, 2})),
            values, shape};
}

} // namespace cannery::features
