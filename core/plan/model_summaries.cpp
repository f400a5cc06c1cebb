// SPDX-License-Identifier: Apache-2.0
#include "core/plan/model_parts.h"
#include "core/plan/zero_count.h"

namespace cannery::plan {

namespace {

void appendValues(std::span<const float> values, std::vector<float>& all)
{
    all.insert(all.end(), values.begin(), values.end());
}

void appendStepCounts(const layers::ValueBuffer& sequence, std::vector<float>& counts)
{
    for (std::size_t row = 1; row < sequence.stepOffsets.size(); ++row) {
        counts.push_back(
            static_cast<float>(sequence.stepOffsets[row] - sequence.stepOffsets[row - 1]));
    }
}

} // namespace

std::int64_t Model::Parts::zerosOf(graph::VariableId variable)
{
    const Trainer& trainer = trainers[static_cast<std::size_t>(variable)];
    return trainer.optimizer != nullptr ? trainer.optimizer->zerosOf(trainer.index, pool)
                                        : zerosIn(pool, variables.span(variable));
}

/// tf.nn.zero_fraction: 0 of nothing is NaN.
float Model::Parts::zeroFraction(const graph::Summary& wanted)
{
    std::int64_t zeros = 0;
    std::size_t all = 0;
    if (wanted.value >= 0) {
        const auto values = network().valuesOf(wanted.value, rows).flat();
        zeros += zerosIn(pool, values);
        all += values.size();
    }
    for (const graph::VariableId variable : wanted.variables) {
        zeros += zerosOf(variable);
        all += variables.span(variable).size();
    }
    return static_cast<float>(zeros) / static_cast<float>(all);
}

std::vector<ModelSummary> Model::summaries()
{
    Parts& parts = *m_parts;
    static_cast<void>(bringState()); // its error is kept
    std::vector<ModelSummary> summaries;
    for (const graph::Summary& wanted : parts.lowered.graph.summaries) {
        parts.bringValue(wanted.value);
        ModelSummary& summary = summaries.emplace_back();
        summary.tag = wanted.tag;
        summary.histogram = wanted.kind == graph::SummaryKind::Histogram ||
                            wanted.kind == graph::SummaryKind::StepCounts;
        std::vector<std::span<const float>> pieces;
        if (wanted.value >= 0 && wanted.kind != graph::SummaryKind::StepCounts) {
            pieces.push_back(parts.network().valuesOf(wanted.value, parts.rows).flat());
        }
        for (const graph::VariableId variable : wanted.variables) {
            pieces.push_back(parts.variables.span(variable));
        }
        if (wanted.kind == graph::SummaryKind::StepCounts) {
            appendStepCounts(parts.network().buffer(wanted.value), summary.values);
        } else if (summary.histogram) {
            for (const std::span<const float> piece : pieces) {
                appendValues(piece, summary.values);
            }
        } else if (wanted.kind == graph::SummaryKind::ZeroFraction) {
            summary.scalar = parts.zeroFraction(wanted);
        } else {
            summary.scalar = pieces.empty() || pieces[0].empty() ? 0.0F : pieces[0].front();
        }
    }
    if (parts.learner != nullptr) {
        for (const auto& [tag, value] : parts.learner->summaries()) {
            summaries.push_back({.tag = tag, .scalar = value});
        }
    }
    if (parts.ownStep != nullptr) {
        parts.ownStep->addSummaries(summaries, parts.variables);
    }
    return summaries;
}

} // namespace cannery::plan
