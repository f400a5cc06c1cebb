// SPDX-License-Identifier: Apache-2.0
#include "core/layers/graph_emitter.h"

#include "core/layers/activity_penalty_layer.h"
#include "core/layers/inputs/lookup.h"
#include "core/layers/layer_catalog.h"
#include "core/layers/training_emission.h"

namespace cannery::layers {

namespace {

const storage::GraphVariable& emitVariable(storage::GraphDefBuilder& graph,
                                           const graph::Variable& variable)
{
    return graph.variable(
        {.name = variable.name, .shape = variable.shape, .trainable = variable.trainable});
}

} // namespace

Result<EmittedLayers> emitGraph(storage::GraphDefBuilder& graph, const graph::LayerGraph& layers,
                                std::span<const storage::EmittedValue> slots,
                                const storage::NodeRef& batchSize, EmitMode mode)
{
    EmittedLayers result;
    std::vector<storage::EmittedValue> values(layers.values.size());
    for (const graph::Input& input : layers.inputs) {
        values[static_cast<std::size_t>(input.value)] = slots[static_cast<std::size_t>(input.slot)];
    }
    for (const graph::Node& node : layers.nodes) {
        CANNERY_TRY_ASSIGN(const std::unique_ptr<Layer> layer, makeLayer(node));
        std::vector<const graph::Value*> types;
        std::vector<storage::EmittedValue> inputs;
        for (const graph::ValueId input : node.inputs) {
            types.push_back(&layers.value(input));
            inputs.push_back(values[static_cast<std::size_t>(input)]);
        }
        std::vector<const storage::GraphVariable*> variables;
        for (const graph::VariableId variable : node.variables) {
            // A shared variable is emitted once: the builder returns the one of that name.
            variables.push_back(&emitVariable(graph, layers.variable(variable)));
        }
        const auto scope = graph.enterScope(node.name);
        const EmitContext context{.graph = graph,
                                  .layers = layers,
                                  .node = node,
                                  .inputs = inputs,
                                  .variables = std::move(variables),
                                  .batchSize = batchSize};
        // Layers that behave alike in both modes emit the same nodes.
        const auto* inTraining =
            mode == EmitMode::Training ? dynamic_cast<const EmitsTraining*>(layer.get()) : nullptr;
        values[static_cast<std::size_t>(node.output)] =
            inTraining == nullptr ? layer->emit(context)
                                  : inTraining->emitTraining(context, result.updates);
        if (const auto* penalized = dynamic_cast<const ActivityPenaltyLayer*>(layer.get())) {
            result.activities.push_back(
                {.value = nodeRef(values[static_cast<std::size_t>(node.output)].dense),
                 .l1 = penalized->l1(),
                 .l2 = penalized->l2()});
        }
    }
    const storage::EmittedValue& logits = values[static_cast<std::size_t>(layers.logits)];
    result.logits = nodeRef(logits.dense);
    if (!logits.stepCounts.empty()) {
        result.stepCounts = nodeRef(logits.stepCounts);
    }
    return result;
}

} // namespace cannery::layers
