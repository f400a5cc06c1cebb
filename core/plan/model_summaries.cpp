// SPDX-License-Identifier: Apache-2.0
#include "core/plan/model_parts.h"
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

std::int64_t Model::Parts::zerosOf(graph::VariableId variable)
{
    const Trainer& trainer = trainers[static_cast<std::size_t>(variable)];
    return trainer.optimizer != nullptr ? trainer.optimizer->zerosOf(trainer.index, pool)
                                        : zerosIn(pool, variables.values(variable));
}

/// tf.nn.zero_fraction: 0 of nothing is NaN.
float Model::Parts::zeroFraction(const graph::Summary& wanted)
{
    std::int64_t zeros = 0;
    std::int64_t all = 0;
    if (wanted.value >= 0) {
        const kernels::ConstMatrixView values = network().valuesOf(wanted.value, rows);
        zeros += zerosIn(pool, values);
        all += values.rows * values.cols;
    }
    for (const graph::VariableId variable : wanted.variables) {
        zeros += zerosOf(variable);
        const kernels::ConstMatrixView values = variables.values(variable);
        all += values.rows * values.cols;
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
        std::vector<kernels::ConstMatrixView> pieces;
        if (wanted.value >= 0 && wanted.kind != graph::SummaryKind::StepCounts) {
            pieces.push_back(parts.network().valuesOf(wanted.value, parts.rows));
        }
        for (const graph::VariableId variable : wanted.variables) {
            pieces.push_back(parts.variables.values(variable));
        }
        if (wanted.kind == graph::SummaryKind::StepCounts) {
            appendStepCounts(parts.network().buffer(wanted.value), summary.values);
        } else if (summary.histogram) {
            for (const kernels::ConstMatrixView& piece : pieces) {
                appendValues(piece, summary.values);
            }
        } else if (wanted.kind == graph::SummaryKind::ZeroFraction) {
            summary.scalar = parts.zeroFraction(wanted);
        } else {
            summary.scalar =
                pieces.empty() || pieces[0].rows * pieces[0].cols == 0 ? 0.0F : *pieces[0].data;
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
