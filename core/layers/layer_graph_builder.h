// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/graph/layer_graph.h"

#include <string>
#include <unordered_set>
#include <vector>

namespace cannery::layers {

/// How a node is added, beyond its layer.
struct NodeOptions
{
    std::string scope;      ///< of the variables made: whose optimizer trains them
    std::string outputName; ///< empty: the node's name
    /// Variables that exist already (a shared table), in the order the layer wants them; empty: new
    /// ones are made and named `<node>/<suffix>`.
    std::vector<graph::VariableId> variables;
};

/// Builds a LayerGraph node by node; shapes are inferred and checked as nodes are added, so a graph
/// that could be built can be planned. Errors: "layers.…", "graph.duplicate_variable",
/// "graph.variable_shape".
class LayerGraphBuilder
{
public:
    /// The slot and block of `source` count; its value is made.
    graph::ValueId addInput(std::string name, graph::ValueKind kind, std::int64_t width,
                            graph::Input source);
    Result<graph::VariableId> addVariable(graph::Variable variable);
    Result<graph::ValueId> addNode(std::string name, spec::Layer layer,
                                   std::vector<graph::ValueId> inputs, NodeOptions options = {});
    void addSummary(graph::Summary summary);

    const graph::LayerGraph& graph() const { return m_graph; }
    /// The finished graph; the builder is empty afterwards.
    graph::LayerGraph finish(graph::ValueId logits);

private:
    graph::LayerGraph m_graph;
    std::unordered_set<std::string> m_variableNames;
};

} // namespace cannery::layers
