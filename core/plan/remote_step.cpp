// SPDX-License-Identifier: Apache-2.0
#include "core/plan/model_parts.h"
#include "core/plan/parameter_exchange.h"
#include "kernels/device/flush_denormals.h"

#include <algorithm>

namespace cannery::plan {

namespace {

/// The block of a batch's ids that a node's variable is looked up with; -1: none, all of the
/// variable is read.
std::int32_t blockOfLookup(const graph::LayerGraph& graph, const graph::Node& node,
                           std::size_t index)
{
    if (index >= node.inputs.size()) {
        return -1;
    }
    const graph::ValueId value = node.inputs[index];
    const auto input = std::ranges::find(graph.inputs, value, &graph::Input::value);
    const graph::ValueKind kind = graph.value(value).kind;
    const bool isLookup = kind == graph::ValueKind::Ids || kind == graph::ValueKind::Indicator;
    return isLookup && input != graph.inputs.end() ? input->block : -1;
}

bool isSparse(VariableGradient& gradient)
{
    return std::ranges::all_of(gradient.segments(), &layers::GradientSegment::sparse);
}

} // namespace

/// Which variables a step exchanges, and which of their rows the ids of which blocks name.
void Model::Parts::layOutExchange()
{
    const graph::LayerGraph& graph = lowered.graph;
    exchanged.clear();
    lookups.clear();
    for (std::size_t index = 0; index < graph.variables.size(); ++index) {
        const auto id = static_cast<graph::VariableId>(index);
        VariableGradient* gradient = network().gradient(id);
        const bool changes = gradient == nullptr && network().hasStatistics(id);
        if (gradient != nullptr || changes) {
            exchanged.push_back({.id = id,
                                 .values = variables.values(id),
                                 .gradient = gradient,
                                 .readsRows = gradient != nullptr && isSparse(*gradient)});
        }
    }
    for (ExchangedVariable& variable : exchanged) {
        for (const graph::Node& node : graph.nodes) {
            for (std::size_t i = 0; i < node.variables.size(); ++i) {
                if (node.variables[i] != variable.id) {
                    continue;
                }
                const std::int32_t block = blockOfLookup(graph, node, i);
                variable.readsRows = variable.readsRows && block >= 0;
                lookups.emplace_back(&variable, block);
            }
        }
    }
    std::erase_if(lookups, [](const auto& lookup) { return !lookup.first->readsRows; });
}

/// In order, each once.
void Model::Parts::findRows(std::span<const features::EncodedRows> batches)
{
    for (ExchangedVariable& variable : exchanged) {
        variable.rows.clear();
    }
    for (const auto& [variable, block] : lookups) {
        for (const features::EncodedRows& batch : batches) {
            for (const std::int32_t row : batch.ids[static_cast<std::size_t>(block)].ids) {
                if (row >= 0 && row < variable->values.rows) {
                    variable->rows.push_back(row);
                }
            }
        }
    }
    for (ExchangedVariable& variable : exchanged) {
        std::ranges::sort(variable.rows);
        const auto repeated = std::ranges::unique(variable.rows);
        variable.rows.erase(repeated.begin(), repeated.end());
    }
}

/// What the statistics of the step add to the variables that no optimizer trains.
void Model::Parts::changeStatistics()
{
    for (ExchangedVariable& variable : exchanged) {
        if (variable.gradient == nullptr) {
            const std::span<float> values = variable.values.flat();
            variable.change.assign(values.begin(), values.end());
        }
    }
    network().updateStatistics(options.sharding.total);
    for (ExchangedVariable& variable : exchanged) {
        if (variable.gradient == nullptr) {
            std::ranges::transform(variable.values.flat(), variable.change, variable.change.begin(),
                                   std::minus<>());
        }
    }
}

Result<std::optional<double>>
Model::Parts::trainRemotely(std::span<const features::EncodedRows> batches, std::int64_t globalStep)
{
    const kernels::FlushDenormals flush;
    for (const features::EncodedRows& batch : batches) {
        makeRoomFor(batch.rowCount);
    }
    findRows(batches);
    {
        const TraceSpan span(trace(), TracePhase::Exchange, "parameters", "pull");
        CANNERY_TRY_ASSIGN(const bool goesOn, options.parameters->pull(exchanged));
        if (!goesOn) {
            return std::nullopt;
        }
    }
    CANNERY_TRY(runShards(batches, globalStep));
    const double loss = lossOfStep();
    changeStatistics();
    gradientNorm.reset();
    if (wantsGradientNorm) {
        measureGradient();
    }
    for (const auto& optimizer : optimizers) {
        optimizer->clipGradients(pool);
        optimizer->forgetZeros();
    }
    const TraceSpan span(trace(), TracePhase::Exchange, "parameters", "push");
    CANNERY_TRY_ASSIGN(const bool isApplied, options.parameters->push(exchanged));
    return isApplied ? std::optional(loss) : std::nullopt;
}

} // namespace cannery::plan
