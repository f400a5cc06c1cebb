// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/tf/graphs/graph_def_builder.h"

#include <cstdint>
#include <vector>

namespace cannery::storage {

/// Float32 arithmetic as nodes of a graph, below its open scope, each named after its operation.
/// Shapes are broadcast as in TensorFlow.
class FloatNodes
{
public:
    using Ints = std::vector<std::int32_t>;

    explicit FloatNodes(GraphDefBuilder& graph) : m_graph(&graph) {}

    GraphDefBuilder& graph() const { return *m_graph; }

    NodeRef number(float value) const { return m_graph->constant("Const", value); }
    NodeRef ints(const Ints& values) const { return m_graph->constant("Const", values); }

    NodeRef apply(const char* op, const std::vector<NodeRef>& inputs) const
    {
        return m_graph->add(op, op, inputs, {{"T", DType::Float32}});
    }
    NodeRef add(const NodeRef& x, const NodeRef& y) const { return apply("AddV2", {x, y}); }
    NodeRef subtract(const NodeRef& x, const NodeRef& y) const { return apply("Sub", {x, y}); }
    NodeRef multiply(const NodeRef& x, const NodeRef& y) const { return apply("Mul", {x, y}); }
    NodeRef divide(const NodeRef& x, const NodeRef& y) const { return apply("RealDiv", {x, y}); }
    NodeRef divideOrZero(const NodeRef& x, const NodeRef& y) const
    {
        return apply("DivNoNan", {x, y});
    }
    NodeRef larger(const NodeRef& x, const NodeRef& y) const { return apply("Maximum", {x, y}); }
    NodeRef smaller(const NodeRef& x, const NodeRef& y) const { return apply("Minimum", {x, y}); }

    /// Bool, of a comparison such as "Greater".
    NodeRef holds(const char* op, const NodeRef& x, const NodeRef& y) const
    {
        return apply(op, {x, y});
    }
    /// The same as 1 or 0.
    NodeRef truth(const char* op, const NodeRef& x, const NodeRef& y) const
    {
        return cast(holds(op, x, y), DType::Bool);
    }
    NodeRef cast(const NodeRef& x, DType from) const
    {
        return m_graph->add("Cast", "Cast", {x}, {{"SrcT", from}, {"DstT", DType::Float32}});
    }
    NodeRef select(const NodeRef& condition, const NodeRef& yes, const NodeRef& no) const
    {
        return apply("SelectV2", {condition, yes, no});
    }

    /// Along one dimension; all others stay.
    NodeRef sum(const NodeRef& x, std::int32_t axis, bool keepsDimension = false) const
    {
        Attrs attrs{{"T", DType::Float32}, {"Tidx", DType::Int32}};
        if (keepsDimension) {
            attrs.emplace_back("keep_dims", true);
        }
        return m_graph->add("Sum", "Sum", {x, ints({axis})}, attrs);
    }
    NodeRef reshape(const NodeRef& x, const Ints& shape) const { return reshape(x, ints(shape)); }
    NodeRef reshape(const NodeRef& x, const NodeRef& shape) const
    {
        return m_graph->add("Reshape", "Reshape", {x, shape},
                            {{"T", DType::Float32}, {"Tshape", DType::Int32}});
    }
    NodeRef flat(const NodeRef& x) const { return reshape(x, Ints{-1}); }
    /// Of every element, a scalar.
    NodeRef total(const NodeRef& x) const { return sum(flat(x), 0); }
    NodeRef shape(const NodeRef& x) const { return apply("Shape", {x}); }
    /// The number of elements, a float scalar.
    NodeRef count(const NodeRef& x) const { return total(apply("OnesLike", {x})); }
    NodeRef slice(const NodeRef& x, const Ints& begin, const Ints& size) const
    {
        return m_graph->add("Slice", "Slice", {x, ints(begin), ints(size)},
                            {{"T", DType::Float32}, {"Index", DType::Int32}});
    }
    NodeRef product(const NodeRef& x, const NodeRef& y, bool transposesX = false,
                    bool transposesY = false) const
    {
        Attrs attrs{{"T", DType::Float32}};
        if (transposesX) {
            attrs.emplace_back("transpose_a", true);
        }
        if (transposesY) {
            attrs.emplace_back("transpose_b", true);
        }
        return m_graph->add("MatMul", "MatMul", {x, y}, attrs);
    }
    NodeRef columns(std::vector<NodeRef> parts) const
    {
        if (parts.size() == 1) {
            return parts.front();
        }
        const auto count = static_cast<std::int64_t>(parts.size());
        parts.push_back(m_graph->constant("Const", std::int32_t{1}));
        return m_graph->add("ConcatV2", "concat", parts,
                            {{"N", count}, {"T", DType::Float32}, {"Tidx", DType::Int32}});
    }

private:
    GraphDefBuilder* m_graph;
};

} // namespace cannery::storage
