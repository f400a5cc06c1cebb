// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/heads/head.h"
#include "core/heads/head_options.h"
#include "core/heads/loss_emission.h"
#include "core/heads/metric_emission.h"
#include "core/losses/loss.h"
#include "core/metrics/metric_catalog.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cannery::heads {

/// "loss", and "loss/<name>" before it for a named head.
std::vector<metrics::MetricValue> lossSummaries(const std::string& name, double loss);

/// Shared by heads with one loss: the loss, its summaries, and flat views of a batch for the
/// metrics. Keeps its memory from batch to batch.
class HeadLoss
{
public:
    HeadLoss(losses::LossKind kind, std::int64_t width, losses::Reduction reduction)
        : m_kind(kind), m_logitsWidth(width), m_loss(kind, width, reduction)
    {}

    void reserve(std::int64_t rows) { m_loss.reserve(rows); }
    double run(kernels::ThreadPool& pool, const HeadBatch& batch, kernels::MatrixView logitsGrad,
               float factor = 1.0F)
    {
        if (isMean()) {
            factor /= static_cast<float>(batch.parts);
        }
        m_value = m_loss.run(pool, batch.logits, batch.labels, batch.weights, logitsGrad, factor);
        return m_value;
    }
    /// Labels l count as (l - labelOffset) / labelScale.
    void place(kernels::AcceleratorProgram& program, const PlacedHeadBatch& batch,
               float labelOffset = 0.0F, float labelScale = 1.0F) const
    {
        m_loss.place(program, {.logits = batch.logits,
                               .labels = batch.labels,
                               .weights = batch.weights,
                               .logitsGrad = batch.logitsGrad,
                               .factor = batch.factor,
                               .parts = batch.parts,
                               .loss = batch.loss,
                               .total = batch.total,
                               .addsToTotal = batch.addsToTotal,
                               .labelOffset = labelOffset,
                               .labelScale = labelScale,
                               .rowCount = batch.rowCount});
    }
    void take(std::span<const double> losses) { m_value = losses.front(); }
    void secondDerivatives(kernels::ThreadPool& pool, const HeadBatch& batch,
                           kernels::MatrixView second) const
    {
        m_loss.secondDerivatives(pool, batch.logits, batch.weights, second);
    }
    bool isMean() const { return m_loss.reduction() == losses::Reduction::SumOverBatchSize; }
    /// The same as nodes. Labels l count as (l - labelOffset) / labelScale.
    LossNodes emit(storage::GraphDefBuilder& graph, const SupervisedInputs& inputs,
                   float labelOffset = 0.0F, float labelScale = 1.0F) const;
    std::int64_t width() const { return m_loss.lossWidth(); }
    /// Of the last run, before weighting: [rows * width].
    std::span<const float> losses() const { return m_loss.losses().flat(); }
    double value() const { return m_value; }
    std::vector<metrics::MetricValue> summaries(const std::string& name) const
    {
        return lossSummaries(name, m_value);
    }

private:
    losses::LossKind m_kind;
    std::int64_t m_logitsWidth;
    losses::Loss m_loss;
    double m_value = 0.0;
};

/// How emitSupervised() of these heads begins: in the head's scope, which is open as long as this
/// lives, with the loss.
struct SupervisedStart
{
    /// Labels count as in HeadLoss::emit().
    SupervisedStart(storage::GraphDefBuilder& graph, const HeadOptions& options,
                    const HeadLoss& loss, const SupervisedInputs& inputs, float labelOffset = 0.0F,
                    float labelScale = 1.0F);

    storage::GraphDefBuilder::Scope scope;
    SupervisedNodes nodes; ///< without metrics
    SeriesNodes losses;    ///< before weighting, for the metrics
};

/// A matrix as one span: its own memory if contiguous, otherwise a copy in `buffer`.
std::span<const float> flatten(kernels::ConstMatrixView view, std::vector<float>& buffer);

/// Weights [rows, 1] or [rows, width] as one weight per element of [rows, width]; empty if data is
/// null.
std::span<const float> flattenWeights(kernels::ConstMatrixView weights, std::int64_t width,
                                      std::vector<float>& buffer);

/// Adds "accuracy/positive_threshold_<t>", precision and recall for each threshold.
void addThresholdMetrics(std::vector<HeadMetric>& metrics, std::span<const float> thresholds,
                         const std::string& headName, int series);

} // namespace cannery::heads
