// SPDX-License-Identifier: Apache-2.0
#include "core/metrics/threshold_counts.h"

#include "core/metrics/weighted_mean.h"

#include <algorithm>
#include <cmath>

namespace cannery::metrics {
namespace {

/// Above each threshold, from the buckets after the first.
std::vector<double> atLeast(const std::vector<double>& buckets)
{
    std::vector<double> sums(buckets.size() - 1);
    double sum = 0.0;
    // From the highest threshold down: each sum contains the one above.
    for (std::size_t i = buckets.size(); i-- > 1;) {
        sum += buckets[i];
        sums[i - 1] = sum;
    }
    return sums;
}

} // namespace

double ThresholdCounts::Positives::precision(std::size_t threshold) const
{
    return safeRatio(truePositives[threshold],
                     truePositives[threshold] + falsePositives[threshold]);
}

double ThresholdCounts::Positives::recall(std::size_t threshold) const
{
    return safeRatio(truePositives[threshold], trueLabels);
}

double ThresholdCounts::Positives::falsePositiveRate(std::size_t threshold) const
{
    return safeRatio(falsePositives[threshold], falseLabels);
}

ThresholdCounts::ThresholdCounts(std::int64_t thresholds, First first)
    : m_first(first), m_trueLabels(static_cast<std::size_t>(thresholds) + 1, 0.0),
      m_falseLabels(static_cast<std::size_t>(thresholds) + 1, 0.0)
{}

void ThresholdCounts::update(const MetricBatch& batch)
{
    for (std::size_t row = 0; row < batch.labels.size(); ++row) {
        std::vector<double>& buckets = batch.labels[row] != 0.0F ? m_trueLabels : m_falseLabels;
        buckets[bucketOf(batch.predictions[row])] += batch.weight(row);
    }
}

void ThresholdCounts::reset()
{
    std::fill(m_trueLabels.begin(), m_trueLabels.end(), 0.0);
    std::fill(m_falseLabels.begin(), m_falseLabels.end(), 0.0);
}

void ThresholdCounts::merge(const ThresholdCounts& other)
{
    for (std::size_t i = 0; i < m_trueLabels.size(); ++i) {
        m_trueLabels[i] += other.m_trueLabels[i];
        m_falseLabels[i] += other.m_falseLabels[i];
    }
}

ThresholdCounts::Positives ThresholdCounts::positives() const
{
    Positives positives{.truePositives = atLeast(m_trueLabels),
                        .falsePositives = atLeast(m_falseLabels)};
    // The first bucket is below all thresholds.
    positives.trueLabels = positives.truePositives[0] + m_trueLabels[0];
    positives.falseLabels = positives.falsePositives[0] + m_falseLabels[0];
    return positives;
}

/// In float32, as Keras counts, so that scores at a threshold fall into the same bucket. NaN is
/// like 0.
std::size_t ThresholdCounts::bucketOf(float score) const
{
    const std::size_t thresholds = m_trueLabels.size() - 1;
    // A single threshold is in the middle.
    if (thresholds == 1) {
        return score > 0.5F ? 1 : 0;
    }
    const float clipped = score > 0.0F ? std::min(score, 1.0F) : 0.0F;
    const float index = std::ceil(clipped * static_cast<float>(thresholds - 1)) - 1.0F;
    // A score of 0 is above the first threshold only if that is below 0.
    if (index < 0.0F) {
        return m_first == First::Zero ? 0 : 1;
    }
    return 1 + static_cast<std::size_t>(index);
}

} // namespace cannery::metrics
