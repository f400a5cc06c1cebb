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

SparseNodes cellsWhere(GraphDefBuilder& graph, const NodeRef& kept, const NodeRef& dense,
                       DType dtype)
{
    const NodeRef indices = graph.add("Where", "indices", {kept});
    const NodeRef values = graph.add("GatherNd", "values", {dense, indices},
                                     {{"Tparams", dtype}, {"Tindices", DType::Int64}});
    return {indices, values, shapeOf(graph, dense, dtype)};
}

/// One number of a shape.
NodeRef dimension(GraphDefBuilder& graph, const char* name, const NodeRef& shape, std::int32_t at)
{
    const auto scope = graph.enterScope(name);
    const auto place = [&](const char* part, std::int32_t value) {
        return graph.constant(part, std::vector<std::int32_t>{value});
    };
    return graph.add("StridedSlice", "strided_slice",
                     {shape, place("begin", at), place("end", at + 1), place("strides", 1)},
                     {{"T", DType::Int64}, {"Index", DType::Int32}, {"shrink_axis_mask", 1}});
}

NodeRef pack(GraphDefBuilder& graph, const char* name, const std::vector<NodeRef>& numbers)
{
    return graph.add("Pack", name, numbers,
                     {{"N", static_cast<std::int64_t>(numbers.size())}, {"T", DType::Int64}});
}

/// Steps of `width` numbers that hold `count` of them, the last of which may be short.
NodeRef stepCount(GraphDefBuilder& graph, const NodeRef& count, std::int64_t width)
{
    if (width == 1) {
        return count;
    }
    const auto scope = graph.enterScope("step_count");
    const NodeRef number =
        graph.add("Cast", "numbers", {count}, {{"SrcT", DType::Int64}, {"DstT", DType::Float32}});
    const NodeRef most =
        graph.add("AddV2", "most", {number, graph.constant("rest", static_cast<float>(width - 1))},
                  {{"T", DType::Float32}});
    const NodeRef steps =
        graph.add("RealDiv", "steps", {most, graph.constant("width", static_cast<float>(width))},
                  {{"T", DType::Float32}});
    return graph.add("Cast", "whole", {steps}, {{"SrcT", DType::Float32}, {"DstT", DType::Int64}});
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
    return cellsWhere(graph, kept, dense, dtype);
}

SparseNodes cellsOfNumbers(GraphDefBuilder& graph, const NodeRef& dense)
{
    const auto scope = graph.enterScope("to_sparse_numbers");
    // Only NaN differs from itself.
    const NodeRef kept = graph.add("Equal", "Equal", {dense, dense}, {{"T", DType::Float32}});
    return cellsWhere(graph, kept, dense, DType::Float32);
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

storage::EmittedValue stepsOf(GraphDefBuilder& graph, const SparseNodes& cells, std::int64_t width,
                              float padding)
{
    const auto scope = graph.enterScope("steps");
    const NodeRef rows = dimension(graph, "rows", cells.shape, 0);
    const NodeRef size = graph.constant("width", width);
    const NodeRef steps = stepCount(graph, dimension(graph, "numbers", cells.shape, 1), width);
    const NodeRef numbers = graph.add("Mul", "Mul", {steps, size}, {{"T", DType::Int64}});
    const NodeRef flatShape = pack(graph, "flat_shape", {rows, numbers});
    const NodeRef shape = pack(graph, "shape", {rows, steps, size});
    const auto dense = [&](const char* name, const NodeRef& values, float missing) {
        const auto inner = graph.enterScope(name);
        const NodeRef filled =
            graph.add("SparseToDense", "SparseToDense",
                      {cells.indices, flatShape, values, graph.constant("missing", missing)},
                      {{"T", DType::Float32}, {"Tindices", DType::Int64}});
        return graph.add("Reshape", "Reshape", {filled, shape},
                         {{"T", DType::Float32}, {"Tshape", DType::Int64}});
    };
    storage::EmittedValue result;
    result.dense = dense("values", cells.values, padding).input();
    // A step is there if its first number is.
    const NodeRef count = graph.add("Shape", "count", {cells.values},
                                    {{"T", DType::Float32}, {"out_type", DType::Int64}});
    const NodeRef ones = graph.add("Fill", "ones", {count, graph.constant("one", 1.0F)},
                                   {{"T", DType::Float32}, {"index_type", DType::Int64}});
    const std::vector<std::int32_t> begin{0, 0, 0};
    const std::vector<std::int32_t> end{-1, -1, 1};
    const NodeRef firsts = graph.add(
        "Slice", "firsts",
        {dense("marks", ones, 0), graph.constant("begin", begin), graph.constant("size", end)},
        {{"T", DType::Float32}, {"Index", DType::Int32}});
    const NodeRef sums =
        graph.add("Sum", "Sum", {firsts, graph.constant("axis", std::vector<std::int32_t>{1})},
                  {{"T", DType::Float32}, {"Tidx", DType::Int32}, {"keep_dims", false}});
    result.stepCounts = graph
                            .add("Cast", "counts", {flat(graph, sums, DType::Float32)},
                                 {{"SrcT", DType::Float32}, {"DstT", DType::Int64}})
                            .input();
    return result;
}

} // namespace cannery::features
