// SPDX-License-Identifier: Apache-2.0
#include "core/export/gradient_emission.h"

#include "core/base/catalog.h"
#include "core/export/gradient_rules.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace cannery::exporting {

using storage::FloatNodes;
using storage::GraphNode;
using storage::NodeRef;

namespace {

constexpr ErrorKind kNoGradient{
    "export.no_gradient",
    "The training graph cannot be exported: it would need the gradient of the operation {} (node "
    "{}), which Cannery emits for evaluation and serving only. Export with --modes eval."};

constexpr std::string_view kRead = "ReadVariableOp";
constexpr std::string_view kLookUp = "ResourceGather";

/// The number of rows of a tensor, an int32 scalar.
NodeRef rowCount(const FloatNodes& nodes, const NodeRef& tensor, DType dtype)
{
    storage::GraphDefBuilder& graph = nodes.graph();
    const NodeRef shape = graph.add("Shape", "Shape", {tensor}, {{"T", dtype}});
    return graph.add("StridedSlice", "strided_slice",
                     {shape, nodes.ints({0}), nodes.ints({1}), nodes.ints({1})},
                     {{"T", DType::Int32}, {"Index", DType::Int32}, {"shrink_axis_mask", 1}});
}

/// `rows` [n, …] added up by `places` [n] in [0, count).
NodeRef summed(const FloatNodes& nodes, const NodeRef& rows, const NodeRef& places, DType dtype,
               const NodeRef& count)
{
    return nodes.graph().add(
        "UnsortedSegmentSum", "UnsortedSegmentSum", {rows, places, count},
        {{"T", DType::Float32}, {"Tindices", dtype}, {"Tnumsegments", DType::Int32}});
}

/// Everything from the output back to the variables that it depends on.
class BackwardPass
{
public:
    BackwardPass(storage::GraphDefBuilder& graph, std::vector<GraphNode> forward)
        : m_nodes(graph), m_forward(std::move(forward))
    {
        for (const GraphNode& node : m_forward) {
            m_byName[node.name] = &node;
        }
    }

    Result<void> run(std::span<const GradientRoot> roots)
    {
        // Reverse order of a topological sort, so that a node's gradient is complete, all its
        // readers having added to it, before it is passed on.
        for (const GradientRoot& root : roots) {
            sortFrom(root.output.node);
            m_grads[root.output.node][root.output.output].push_back(root.grad);
        }
        for (auto node = m_sorted.rbegin(); node != m_sorted.rend(); ++node) {
            // Nothing upstream of inputs and constants is emitted: no optimizer would read it.
            if (m_leadsToVariable.contains(*node)) {
                CANNERY_TRY(pass(*m_byName.at(*node)));
            }
        }
        return {};
    }

    std::map<std::string, EmittedGradient> gradients()
    {
        std::map<std::string, EmittedGradient> result;
        for (const auto& [variable, parts] : m_dense) {
            result[variable] = {.values = sumOf(parts)};
        }
        for (const auto& [variable, lookups] : m_rows) {
            const EmittedGradient rows = rowsOf(lookups);
            const auto dense = result.find(variable);
            if (dense == result.end()) {
                result[variable] = rows;
                continue;
            }
            // Read as a whole too, as by a penalty.
            const NodeRef whole = dense->second.values;
            dense->second.values =
                m_nodes.add(whole, summed(m_nodes, rows.values, rows.ids, DType::Int64,
                                          rowCount(m_nodes, whole, DType::Float32)));
        }
        return result;
    }

private:
    /// Inputs before the nodes that read them, with an explicit stack; and which of them depend on
    /// a variable.
    void sortFrom(const std::string& output)
    {
        std::set<std::string> begun;
        std::vector<std::string> waiting{output};
        // Seen twice: the first visit leaves the node on the stack below its inputs, the second
        // one, when they are done, takes it off. Recursion would overflow on deep unrolled
        // networks.
        while (!waiting.empty()) {
            const std::string name = waiting.back();
            const GraphNode& node = *m_byName.at(name);
            if (begun.insert(name).second) {
                for (const std::string& input : node.inputs) {
                    const std::string& source = NodeRef(input).node;
                    if (!begun.contains(source)) {
                        waiting.push_back(source);
                    }
                }
                continue;
            }
            waiting.pop_back();
            if (m_done.insert(name).second) {
                m_sorted.push_back(name);
                if (dependsOnVariable(node)) {
                    m_leadsToVariable.insert(name);
                }
            }
        }
    }

    bool dependsOnVariable(const GraphNode& node) const
    {
        const auto leads = [&](const std::string& input) {
            return m_leadsToVariable.contains(NodeRef(input).node);
        };
        return node.op == kRead || node.op == kLookUp ||
               // Comparisons and shapes have a gradient of zero everywhere, so what is behind them
               // is cut off.
               (!isFlat(node.op) && std::ranges::any_of(node.inputs, leads));
    }

    NodeRef sumOf(const std::vector<NodeRef>& parts) const
    {
        return parts.size() == 1
                   ? parts.front()
                   : m_nodes.graph().add(
                         "AddN", "AddN", parts,
                         {{"N", static_cast<std::int64_t>(parts.size())}, {"T", DType::Float32}});
    }

    /// Of all lookups of a table, as shared embeddings have several.
    EmittedGradient rowsOf(const std::vector<EmittedGradient>& lookups) const
    {
        if (lookups.size() == 1) {
            return lookups.front();
        }
        std::vector<NodeRef> values;
        std::vector<NodeRef> ids;
        for (const EmittedGradient& lookup : lookups) {
            values.push_back(lookup.values);
            ids.push_back(lookup.ids);
        }
        return {.values = joined(values, DType::Float32), .ids = joined(ids, DType::Int64)};
    }
    NodeRef joined(std::vector<NodeRef> parts, DType dtype) const
    {
        storage::GraphDefBuilder& graph = m_nodes.graph();
        const auto count = static_cast<std::int64_t>(parts.size());
        parts.push_back(graph.constant("axis", std::int32_t{0}));
        return graph.add("ConcatV2", "concat", parts,
                         {{"N", count}, {"T", dtype}, {"Tidx", DType::Int32}});
    }

    Result<void> pass(const GraphNode& node)
    {
        const auto found = m_grads.find(node.name);
        if (found == m_grads.end()) {
            return {};
        }
        std::vector<NodeRef> grads;
        for (const auto& [index, parts] : found->second) {
            grads.resize(static_cast<std::size_t>(index) + 1);
            grads.back() = sumOf(parts);
        }
        const NodeRef grad = grads.front();
        if (node.op == kRead) {
            m_dense[node.inputs.front()].push_back(grad);
            return {};
        }
        if (node.op == kLookUp) {
            m_rows[node.inputs.front()].push_back({.values = grad, .ids = node.inputs[1]});
            return {};
        }
        GradientCall call{.nodes = m_nodes,
                          .node = node,
                          // The resource of the read node is its only input, and names the
                          // variable.
                          .output = NodeRef(node.name, 0),
                          .grad = grad,
                          .outputGrads = std::move(grads),
                          .inputs = {},
                          .wanted = {},
                          .grads = std::vector<NodeRef>(node.inputs.size())};
        for (const std::string& input : node.inputs) {
            call.inputs.emplace_back(input);
            call.wanted.push_back(m_leadsToVariable.contains(call.inputs.back().node));
        }
        // A rule refuses a node whose attributes it does not differentiate, which is reported like
        // an unknown operation: a wrong gradient would go unnoticed.
        const GradientRow* row = findRow(gradientRules(), std::string_view(node.op));
        if (row == nullptr || !row->pass(call)) {
            return fail(ErrorCode::Unimplemented, kNoGradient, node.op, node.name);
        }
        for (std::size_t input = 0; input < call.inputs.size(); ++input) {
            if (!call.grads[input].node.empty()) {
                m_grads[call.inputs[input].node][call.inputs[input].output].push_back(
                    call.grads[input]);
            }
        }
        return {};
    }

    FloatNodes m_nodes;
    std::vector<GraphNode> m_forward;
    std::unordered_map<std::string, const GraphNode*> m_byName;
    std::set<std::string> m_done;
    std::vector<std::string> m_sorted;
    std::set<std::string> m_leadsToVariable;
    std::map<std::string, std::map<int, std::vector<NodeRef>>> m_grads; ///< by node and output
    std::map<std::string, std::vector<NodeRef>> m_dense;                ///< by variable
    std::map<std::string, std::vector<EmittedGradient>> m_rows;
};

} // namespace

EmittedGradient withoutDuplicates(const FloatNodes& nodes, const EmittedGradient& gradient)
{
    if (gradient.ids.node.empty()) {
        return gradient;
    }
    const NodeRef unique = nodes.graph().add("Unique", "Unique", {gradient.ids},
                                             {{"T", DType::Int64}, {"out_idx", DType::Int32}});
    return {.values = summed(nodes, gradient.values, unique.at(1), DType::Int32,
                             rowCount(nodes, unique, DType::Int64)),
            .ids = unique};
}

Result<std::map<std::string, EmittedGradient>> emitGradients(storage::GraphDefBuilder& graph,
                                                             std::span<const GradientRoot> roots)
{
    CANNERY_TRY_ASSIGN(std::vector<GraphNode> forward, storage::readGraphDef(graph.serialized()));
    BackwardPass pass(graph, std::move(forward));
    CANNERY_TRY(pass.run(roots));
    return pass.gradients();
}

} // namespace cannery::exporting
