// SPDX-License-Identifier: Apache-2.0
#include "core/layers/layer_graph_builder.h"

#include "core/graph/initializers.h"
#include "core/layers/activity_penalty_layer.h"
#include "core/layers/layer_catalog.h"
#include "core/layers/layer_weights.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace cannery::layers {

namespace {

constexpr ErrorKind kDuplicateVariable{
    "graph.duplicate_variable",
    "Two variables would be named '{}'; give one of the feature columns another name."};
constexpr ErrorKind kVariableShape{"graph.variable_shape",
                                   "'{}' needs a variable of shape {}, but '{}' has the shape {}."};

constexpr ErrorKind kOtherVariables{
    "graph.other_variables",
    "'{}' has the weights {}, but '{}', whose weights it is to use, has {}: give both layers the "
    "same settings."};
constexpr ErrorKind kNoVariables{
    "graph.no_variables",
    "'{}' is a layer without weights, so there is nothing to share: remove shares_weights_with."};

/// The variables of the node, if they are what a layer of the same kind wants.
Result<std::vector<graph::VariableId>> variablesToShare(const graph::LayerGraph& graph,
                                                        const graph::Node& owner,
                                                        const std::string& node,
                                                        const std::vector<LayerVariable>& wanted)
{
    if (wanted.empty()) {
        return fail(ErrorCode::InvalidArgument, kNoVariables, node);
    }
    std::vector<std::string> suffixes;
    for (const LayerVariable& variable : wanted) {
        suffixes.push_back(variable.suffix);
    }
    std::vector<std::string> owners;
    for (const graph::VariableId id : owner.variables) {
        const std::string& name = graph.variable(id).name;
        owners.push_back(name.substr(std::min(name.size(), owner.name.size() + 1)));
    }
    if (suffixes != owners) {
        return fail(ErrorCode::InvalidArgument, kOtherVariables, node,
                    fmt::format("{}", fmt::join(suffixes, ", ")), owner.name,
                    fmt::format("{}", fmt::join(owners, ", ")));
    }
    return owner.variables;
}

Result<void> checkShared(const graph::LayerGraph& graph, const std::string& node,
                         const std::vector<LayerVariable>& wanted,
                         const std::vector<graph::VariableId>& given)
{
    CANNERY_CHECK(wanted.size() == given.size());
    for (std::size_t index = 0; index < wanted.size(); ++index) {
        const graph::Variable& variable = graph.variable(given[index]);
        if (variable.shape != wanted[index].shape) {
            return fail(ErrorCode::InvalidArgument, kVariableShape, node,
                        wanted[index].shape.toString(), variable.name, variable.shape.toString());
        }
    }
    return {};
}

} // namespace

graph::ValueId LayerGraphBuilder::addInput(graph::Value value, graph::Input source)
{
    const auto id = static_cast<graph::ValueId>(m_graph.values.size());
    source.value = id;
    m_graph.values.push_back(std::move(value));
    m_graph.inputs.push_back(source);
    return id;
}

Result<graph::VariableId> LayerGraphBuilder::addVariable(graph::Variable variable)
{
    if (m_variableNames.contains(variable.name)) {
        return fail(ErrorCode::InvalidArgument, kDuplicateVariable, variable.name);
    }
    // Checked here, where the name is known, instead of when values are drawn.
    if (auto checked = graph::checkInitializer(variable.initializer, variable.shape); !checked) {
        return tl::make_unexpected(
            std::move(checked).error().with("initializing " + variable.name));
    }
    const auto id = static_cast<graph::VariableId>(m_graph.variables.size());
    m_variableNames.insert(variable.name);
    m_graph.variables.push_back(std::move(variable));
    return id;
}

Result<graph::ValueId> LayerGraphBuilder::addNode(std::string name, spec::Layer layer,
                                                  std::vector<graph::ValueId> inputs,
                                                  NodeOptions options)
{
    const spec::L1L2Regularizer penalty = layer.activity_regularizer();
    const bool isPenalized = layer.has_activity_regularizer();
    const std::string node = name;
    const std::string output = options.outputName.empty() ? name : options.outputName;
    CANNERY_TRY_ASSIGN(
        const graph::ValueId value,
        add({.name = std::move(name), .layer = std::move(layer), .inputs = std::move(inputs)},
            std::move(options)));
    return isPenalized ? penalizeActivity(node, value, penalty, output) : value;
}

Result<graph::ValueId> LayerGraphBuilder::penalizeActivity(const std::string& name,
                                                           graph::ValueId value,
                                                           const spec::L1L2Regularizer& penalty,
                                                           const std::string& outputName)
{
    return addNode(name + "/activity_penalty", activityPenaltyLayer(penalty), {value},
                   {.outputName = outputName});
}

Result<graph::ValueId> LayerGraphBuilder::addNode(std::string name, OwnLayer layer,
                                                  std::vector<graph::ValueId> inputs,
                                                  NodeOptions options)
{
    graph::Node node{.name = std::move(name), .inputs = std::move(inputs)};
    node.makeLayer = std::move(layer.make);
    node.kind = std::move(layer.kind);
    return add(std::move(node), std::move(options));
}

Result<graph::ValueId> LayerGraphBuilder::add(graph::Node node, NodeOptions options)
{
    CANNERY_TRY_ASSIGN(const std::unique_ptr<Layer> made, makeLayer(node));
    std::vector<const graph::Value*> values;
    for (const graph::ValueId input : node.inputs) {
        values.push_back(&m_graph.value(input));
    }
    CANNERY_TRY_ASSIGN(LayerSignature signature, made->signature(values));
    if (options.sharesWith) {
        CANNERY_TRY_ASSIGN(options.variables,
                           variablesToShare(m_graph, m_graph.nodes[*options.sharesWith], node.name,
                                            signature.variables));
    }
    CANNERY_TRY(setWeights(node, options.variables.empty(), signature.variables));
    // Variables that are given are shared with another node and must fit.
    if (options.variables.empty()) {
        for (LayerVariable& wanted : signature.variables) {
            CANNERY_TRY_ASSIGN(const graph::VariableId id,
                               addVariable({.name = node.name + "/" + wanted.suffix,
                                            .shape = std::move(wanted.shape),
                                            .initializer = std::move(wanted.initializer),
                                            .pattern = wanted.pattern,
                                            .trainable = wanted.trainable && node.layer.trainable(),
                                            .gradient = wanted.gradient,
                                            .scope = options.scope,
                                            .regularizer = std::move(wanted.regularizer),
                                            .constraint = std::move(wanted.constraint)}));
            options.variables.push_back(id);
        }
    } else {
        CANNERY_TRY(checkShared(m_graph, node.name, signature.variables, options.variables));
    }
    node.output = static_cast<graph::ValueId>(m_graph.values.size());
    node.variables = std::move(options.variables);
    signature.output.name = options.outputName.empty() ? node.name : options.outputName;
    m_graph.values.push_back(std::move(signature.output));
    m_graph.nodes.push_back(std::move(node));
    return m_graph.nodes.back().output;
}

void LayerGraphBuilder::addSummary(graph::Summary summary)
{
    m_graph.summaries.push_back(std::move(summary));
}

graph::LayerGraph LayerGraphBuilder::finish(graph::ValueId logits)
{
    m_graph.logits = logits;
    m_variableNames.clear();
    return std::exchange(m_graph, {});
}

} // namespace cannery::layers
