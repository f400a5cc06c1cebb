// SPDX-License-Identifier: Apache-2.0
#include "core/plan/remote_step.h"

#include "core/plan/gradient_norm.h"
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

RemoteStep::RemoteStep(const Parts& parts)
    : m_graph(parts.graph), m_exchange(parts.exchange), m_lanes(parts.lanes), m_pool(parts.pool),
      m_variables(parts.variables), m_optimizers(parts.optimizers), m_record(parts.record),
      m_shards(parts.shards)
{
    layOut();
}

/// Which variables a step exchanges, and which of their rows the ids of which blocks name.
void RemoteStep::layOut()
{
    Network& network = m_lanes.network();
    m_laidOutRows = network.maxRows();
    m_exchanged.clear();
    m_lookups.clear();
    for (std::size_t index = 0; index < m_graph.variables.size(); ++index) {
        const auto id = static_cast<graph::VariableId>(index);
        VariableGradient* gradient = network.gradients().of(id);
        const bool changes = gradient == nullptr && network.gradients().hasStatistics(id);
        if (gradient != nullptr || changes) {
            m_exchanged.push_back({.id = id,
                                   .values = m_variables.values(id),
                                   .gradient = gradient,
                                   .readsRows = gradient != nullptr && isSparse(*gradient)});
        }
    }
    for (ExchangedVariable& variable : m_exchanged) {
        for (const graph::Node& node : m_graph.nodes) {
            for (std::size_t i = 0; i < node.variables.size(); ++i) {
                if (node.variables[i] != variable.id) {
                    continue;
                }
                const std::int32_t block = blockOfLookup(m_graph, node, i);
                variable.readsRows = variable.readsRows && block >= 0;
                m_lookups.emplace_back(&variable, block);
            }
        }
    }
    std::erase_if(m_lookups, [](const auto& lookup) { return !lookup.first->readsRows; });
}

/// In order, each once.
void RemoteStep::findRows(std::span<const features::EncodedRows> batches)
{
    for (ExchangedVariable& variable : m_exchanged) {
        variable.rows.clear();
    }
    for (const auto& [variable, block] : m_lookups) {
        for (const features::EncodedRows& batch : batches) {
            for (const std::int32_t row : batch.ids[static_cast<std::size_t>(block)].ids) {
                if (row >= 0 && row < variable->values.rows) {
                    variable->rows.push_back(row);
                }
            }
        }
    }
    for (ExchangedVariable& variable : m_exchanged) {
        std::ranges::sort(variable.rows);
        const auto repeated = std::ranges::unique(variable.rows);
        variable.rows.erase(repeated.begin(), repeated.end());
    }
}

/// What the statistics of the step add to the variables that no optimizer trains.
void RemoteStep::changeStatistics()
{
    for (ExchangedVariable& variable : m_exchanged) {
        if (variable.gradient == nullptr) {
            const std::span<float> values = variable.values.flat();
            variable.change.assign(values.begin(), values.end());
        }
    }
    m_lanes.network().gradients().updateStatistics(m_shards);
    for (ExchangedVariable& variable : m_exchanged) {
        if (variable.gradient == nullptr) {
            std::ranges::transform(variable.values.flat(), variable.change, variable.change.begin(),
                                   std::minus<>());
        }
    }
}

Result<std::optional<double>> RemoteStep::train(std::span<const features::EncodedRows> batches,
                                                std::int64_t globalStep)
{
    const kernels::FlushDenormals flush;
    for (const features::EncodedRows& batch : batches) {
        m_lanes.makeRoomFor(batch.rowCount);
    }
    if (m_lanes.network().maxRows() != m_laidOutRows) {
        layOut();
    }
    findRows(batches);
    {
        const TraceSpan span(m_lanes.trace(), TracePhase::Exchange, "parameters", "pull");
        CANNERY_TRY_ASSIGN(const bool goesOn, m_exchange.pull(m_exchanged));
        if (!goesOn) {
            return std::nullopt;
        }
    }
    CANNERY_TRY(m_lanes.run(batches, globalStep));
    const double loss = m_lanes.loss();
    changeStatistics();
    recordGradientNorm(m_lanes.network(), m_graph.variables.size(), m_record);
    for (const auto& optimizer : m_optimizers) {
        optimizer->clipGradients(m_pool);
        optimizer->forgetZeros();
    }
    const TraceSpan span(m_lanes.trace(), TracePhase::Exchange, "parameters", "push");
    CANNERY_TRY_ASSIGN(const bool isApplied, m_exchange.push(m_exchanged));
    return isApplied ? std::optional(loss) : std::nullopt;
}

} // namespace cannery::plan
