// SPDX-License-Identifier: Apache-2.0
#include "core/train/evaluation/slice_metrics.h"

#include "core/heads/head.h"
#include "core/plan/inference.h"
#include "core/plan/lane.h"
#include "kernels/device/flush_denormals.h"
#include "kernels/device/tensor_view.h"

#include <cstddef>
#include <utility>

namespace cannery::train {
namespace {

/// What of a batch is labelled as one row: itself, or its steps.
struct Labelled
{
    std::size_t first = 0;
    std::size_t count = 1;
};

Labelled labelledAs(std::size_t row, const features::EncodedRows& batch)
{
    // Without offsets every row has one label.
    if (batch.labelOffsets.empty()) {
        return {.first = row};
    }
    const std::int64_t first = batch.labelOffsets[row];
    return {.first = static_cast<std::size_t>(first),
            .count = static_cast<std::size_t>(batch.labelOffsets[row + 1] - first)};
}

void append(std::vector<float>& held, std::span<const float> all, Labelled labelled,
            std::int64_t width)
{
    const auto size = static_cast<std::size_t>(width);
    const std::span<const float> values = all.subspan(labelled.first * size, labelled.count * size);
    held.insert(held.end(), values.begin(), values.end());
}

} // namespace

Result<SliceMetrics> SliceMetrics::create(plan::Model& model, const Options& options)
{
    SliceMetrics made(model, options);
    for (const RowGroups& slice : options.slices) {
        std::vector<Group>& groups = made.m_groups.emplace_back(slice.groups.size());
        for (Group& group : groups) {
            // Each group has its own metrics: most cannot be computed from parts.
            CANNERY_TRY_ASSIGN(group.metrics, model.head().createEvaluationMetrics(options.chosen));
            group.metrics->keepNumbers(); // groups have no tables
        }
    }
    return made;
}

void SliceMetrics::add(const plan::EvaluatedBatch& batch)
{
    for (std::size_t i = 0; i < m_groups.size(); ++i) {
        const std::vector<std::int32_t>& groupOf = m_options.slices[i].ofRow;
        // The place of a row in the table, as the batch may be shuffled.
        for (std::size_t row = 0; row < batch.rows.size(); ++row) {
            const std::int32_t group = groupOf[static_cast<std::size_t>(batch.rows[row])];
            hold(m_groups[i][static_cast<std::size_t>(group)], row, batch);
        }
    }
}

void SliceMetrics::hold(Group& group, std::size_t row, const plan::EvaluatedBatch& batch)
{
    const heads::Head& head = m_model->head();
    const Labelled labelled = labelledAs(row, batch.labelled);
    for (std::size_t i = labelled.first; i < labelled.first + labelled.count; ++i) {
        const std::span<const float> logits = batch.logits.row(static_cast<std::int64_t>(i));
        group.logits.insert(group.logits.end(), logits.begin(), logits.end());
    }
    append(group.held.labels, batch.labelled.labels, labelled, head.labelWidth());
    append(group.held.weights, batch.labelled.weights, labelled, head.weightWidth());
    ++group.rows;
    ++group.held.rowCount;
    // Groups are fed in batches of the usual size, so that memory stays bounded.
    if (group.held.rowCount == m_options.batchSize) {
        feed(group);
    }
}

void SliceMetrics::feed(Group& group)
{
    if (group.held.rowCount == 0) {
        return;
    }
    // As in the evaluation of all rows, whose numbers these must equal.
    const kernels::FlushDenormals flush;
    heads::Head& head = m_model->head();
    const std::int64_t width = head.logitsWidth();
    const kernels::ConstMatrixView logits =
        kernels::matrixView(std::span<const float>(group.logits),
                            static_cast<std::int64_t>(group.logits.size()) / width, width);
    // Penalties of outputs are left out: those of a group are not known apart from the batch's.
    head.evaluate(m_model->threadPool(), plan::headBatch(group.held, head, logits), *group.metrics,
                  m_model->inference().weightPenalty());
    group.held.rowCount = 0;
    group.held.labels.clear();
    group.held.weights.clear();
    group.logits.clear();
}

std::vector<storage::EvaluationSlice> SliceMetrics::finish()
{
    std::vector<storage::EvaluationSlice> slices;
    for (std::size_t i = 0; i < m_groups.size(); ++i) {
        const RowGroups& known = m_options.slices[i];
        storage::EvaluationSlice& slice = slices.emplace_back();
        slice.columns = known.columns;
        for (std::size_t j = 0; j < m_groups[i].size(); ++j) {
            Group& group = m_groups[i][j];
            if (group.rows == 0) {
                continue; // beyond the steps of the evaluation
            }
            // What is left of the last batch.
            feed(group);
            storage::SliceGroup& result = slice.groups.emplace_back();
            result.values = known.groups[j].values;
            result.merged = known.groups[j].merged;
            result.rows = group.rows;
            for (const metrics::MetricValue& metric : group.metrics->results()) {
                result.metrics.push_back({metric.name, metric.value});
            }
        }
    }
    return slices;
}

} // namespace cannery::train
