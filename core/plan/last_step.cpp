// SPDX-License-Identifier: Apache-2.0
#include "core/plan/last_step.h"

#include "core/plan/device/device_step.h"
#include "core/plan/device/own_step.h"
#include "core/plan/lane_group.h"
#include "core/plan/learners/learner.h"
#include "core/plan/zero_count.h"

namespace cannery::plan {

namespace {

void appendValues(kernels::ConstMatrixView values, std::vector<float>& all)
{
    for (std::int64_t row = 0; row < values.rows; ++row) {
        const std::span<const float> some = values.row(row);
        all.insert(all.end(), some.begin(), some.end());
    }
}

void appendStepCounts(const layers::ValueBuffer& sequence, std::vector<float>& counts)
{
    for (std::size_t row = 1; row < sequence.stepOffsets.size(); ++row) {
        counts.push_back(
            static_cast<float>(sequence.stepOffsets[row] - sequence.stepOffsets[row - 1]));
    }
}

} // namespace

LastStep::LastStep(const Parts& parts)
    : m_parts(parts), m_trainers(parts.lowered.graph.variables.size())
{
    for (const auto& optimizer : parts.optimizers) {
        for (std::size_t index = 0; index < optimizer->variables().size(); ++index) {
            const graph::VariableId id = optimizer->variables()[index];
            m_trainers[static_cast<std::size_t>(id)] = {optimizer.get(), index};
        }
    }
}

double LastStep::penalty() const
{
    return m_parts.lanes.stepPenalty();
}

std::vector<float> LastStep::gradient(const std::string& variable) const
{
    if (m_parts.device != nullptr) {
        static_cast<void>(m_parts.device->bringGradients()); // its error is kept
    }
    const auto& variables = m_parts.lowered.graph.variables;
    for (std::size_t index = 0; index < variables.size(); ++index) {
        VariableGradient* gradient =
            m_parts.lanes.network().gradients().of(static_cast<graph::VariableId>(index));
        if (variables[index].name == variable && gradient != nullptr) {
            std::vector<float> dense(
                static_cast<std::size_t>(variables[index].shape.elementCount()), 0.0F);
            gradient->addTo(dense);
            return dense;
        }
    }
    return {};
}

GradientSizes LastStep::gradientSizes() const
{
    Network& network = m_parts.lanes.network();
    GradientSizes sizes{.dense =
                            static_cast<std::int64_t>(network.gradients().denseParts().size())};
    for (const SparsePart& part : network.gradients().sparseParts()) {
        sizes.sparse.push_back({.rows = part.gradient->rowCount(),
                                .cols = part.gradient->cols,
                                .tableRows = part.tableRows});
    }
    if (m_parts.isAcross) {
        for (const std::size_t node : network.nodesAcrossShards()) {
            const std::int64_t passes = network.goesBackThrough(node) ? 2 : 1;
            sizes.gathers += passes;
            sizes.gathered += passes * network.acrossShards(node).sumCount();
        }
    }
    return sizes;
}

std::int64_t LastStep::zerosOf(graph::VariableId variable)
{
    const Trainer& trainer = m_trainers[static_cast<std::size_t>(variable)];
    return trainer.optimizer != nullptr ? trainer.optimizer->zerosOf(trainer.index, m_parts.pool)
                                        : zerosIn(m_parts.pool, m_parts.variables.values(variable));
}

/// tf.nn.zero_fraction: 0 of nothing is NaN.
float LastStep::zeroFraction(const graph::Summary& wanted)
{
    std::int64_t zeros = 0;
    std::int64_t all = 0;
    if (wanted.value >= 0) {
        const kernels::ConstMatrixView values =
            m_parts.lanes.network().valuesOf(wanted.value, m_parts.lanes.rows());
        zeros += zerosIn(m_parts.pool, values);
        all += values.rows * values.cols;
    }
    for (const graph::VariableId variable : wanted.variables) {
        zeros += zerosOf(variable);
        const kernels::ConstMatrixView values = m_parts.variables.values(variable);
        all += values.rows * values.cols;
    }
    return static_cast<float>(zeros) / static_cast<float>(all);
}

ModelSummary LastStep::summaryOf(const graph::Summary& wanted)
{
    LaneGroup& lanes = m_parts.lanes;
    ModelSummary summary{.tag = wanted.tag,
                         .histogram = wanted.kind == graph::SummaryKind::Histogram ||
                                      wanted.kind == graph::SummaryKind::StepCounts};
    std::vector<kernels::ConstMatrixView> pieces;
    if (wanted.value >= 0 && wanted.kind != graph::SummaryKind::StepCounts) {
        pieces.push_back(lanes.network().valuesOf(wanted.value, lanes.rows()));
    }
    for (const graph::VariableId variable : wanted.variables) {
        pieces.push_back(m_parts.variables.values(variable));
    }
    if (wanted.kind == graph::SummaryKind::StepCounts) {
        appendStepCounts(lanes.network().buffer(wanted.value), summary.values);
    } else if (summary.histogram) {
        for (const kernels::ConstMatrixView& piece : pieces) {
            appendValues(piece, summary.values);
        }
    } else if (wanted.kind == graph::SummaryKind::ZeroFraction) {
        summary.scalar = zeroFraction(wanted);
    } else {
        summary.scalar =
            pieces.empty() || pieces[0].rows * pieces[0].cols == 0 ? 0.0F : *pieces[0].data;
    }
    return summary;
}

std::vector<ModelSummary> LastStep::summaries()
{
    if (m_parts.device != nullptr) {
        static_cast<void>(m_parts.device->bringState()); // its error is kept
    }
    std::vector<ModelSummary> summaries;
    for (const graph::Summary& wanted : m_parts.lowered.graph.summaries) {
        if (m_parts.device != nullptr && wanted.value >= 0) {
            static_cast<void>(m_parts.device->bringValue(wanted.value, m_parts.lanes.rows()));
        }
        summaries.push_back(summaryOf(wanted));
    }
    if (m_parts.learner != nullptr) {
        for (const auto& [tag, value] : m_parts.learner->summaries()) {
            summaries.push_back({.tag = tag, .scalar = value});
        }
    }
    if (m_parts.ownStep != nullptr) {
        m_parts.ownStep->addSummaries(summaries, m_parts.variables);
    }
    return summaries;
}

} // namespace cannery::plan
