// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/graph/layer_graph.h"
#include "core/layers/layer.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

namespace cannery::layers {

/// Options of a node besides its layer.
struct NodeOptions
{
    std::string scope;      ///< of the new variables: determines the optimizer that trains them
    std::string outputName; ///< the node's name if empty
    /// Existing variables (a shared table), in the order the layer expects; empty: new ones are
    /// created and named `<node>/<suffix>`.
    std::vector<graph::VariableId> variables;
    /// A node with a layer of the same kind, by its index: the new one uses its variables, which
    /// must be the ones that it wants, by suffix and shape.
    std::optional<std::size_t> sharesWith;
};

/// A layer that only its estimator knows; the schema does not describe it.
struct OwnLayer
{
    std::string kind; ///< for people: "cluster_distances"
    std::function<std::unique_ptr<Layer>()> make;
};

/// Builds a LayerGraph node by node; shapes are inferred and checked as nodes are added, so a graph
/// that could be built can be planned. A message's `weights` and `activity_regularizer` are heeded
/// for every kind of layer. Errors: "layers.…", "graph.duplicate_variable", "graph.variable_shape",
/// "graph.other_variables", "graph.no_variables", "graph.bad_…".
class LayerGraphBuilder
{
public:
    /// Uses the slot and block of `source`; creates its value.
    graph::ValueId addInput(graph::Value value, graph::Input source);
    Result<graph::VariableId> addVariable(graph::Variable variable);
    Result<graph::ValueId> addNode(std::string name, spec::Layer layer,
                                   std::vector<graph::ValueId> inputs, NodeOptions options = {});
    Result<graph::ValueId> addNode(std::string name, OwnLayer layer,
                                   std::vector<graph::ValueId> inputs, NodeOptions options = {});
    /// The same value, whose size adds to the loss: of the node `name` (Keras's
    /// activity_regularizer). Errors: "layers.input_kind" unless the value is dense.
    Result<graph::ValueId> penalizeActivity(const std::string& name, graph::ValueId value,
                                            const spec::L1L2Regularizer& penalty,
                                            const std::string& outputName);
    void addSummary(graph::Summary summary);

    const graph::LayerGraph& graph() const { return m_graph; }
    /// The finished graph; leaves the builder empty.
    graph::LayerGraph finish(graph::ValueId logits);

private:
    /// Of a node with its name, layer and inputs.
    Result<graph::ValueId> add(graph::Node node, NodeOptions options);

    graph::LayerGraph m_graph;
    std::unordered_set<std::string> m_variableNames;
};

} // namespace cannery::layers
