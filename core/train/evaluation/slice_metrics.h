// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/features/encoded_rows.h"
#include "core/metrics/metric_set.h"
#include "core/plan/device/device_evaluation.h"
#include "core/plan/model.h"
#include "core/spec/metrics.pb.h"
#include "core/train/evaluation/row_groups.h"
#include "storage/runs/run_record.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace cannery::train {

/// Metrics of groups of rows, fed with what a model has just made of a batch, so that the model
/// runs once for all slices. The rows of a group go to its metrics in batches of their own, as in
/// an evaluation of that group alone: a mean over batches has the same bits. One thread.
class SliceMetrics
{
public:
    struct Options
    {
        std::span<const RowGroups> slices;    ///< of the rows that are evaluated; must outlive this
        std::span<const spec::Metric> chosen; ///< besides those of the head
        std::int64_t batchSize = 1;
    };

    /// Errors: of heads::Head.
    static Result<SliceMetrics> create(plan::Model& model, const Options& options);

    void add(const plan::EvaluatedBatch& batch);
    /// The groups that had rows, in their order.
    std::vector<storage::EvaluationSlice> finish();

private:
    struct Group
    {
        std::unique_ptr<metrics::MetricSet> metrics;
        std::int64_t rows = 0;      ///< so far
        features::EncodedRows held; ///< of these, not yet fed to the metrics: labels and weights
        std::vector<float> logits;  ///< of those held
    };

    SliceMetrics(plan::Model& model, const Options& options) : m_model(&model), m_options(options)
    {}
    void hold(Group& group, std::size_t row, const plan::EvaluatedBatch& batch);
    void feed(Group& group);

    plan::Model* m_model;
    Options m_options;
    std::vector<std::vector<Group>> m_groups; ///< of each slice
};

} // namespace cannery::train
