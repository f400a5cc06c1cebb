// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/metrics/metric.h"

#include <cstdint>
#include <vector>

namespace cannery::metrics {

/// What lies above each of n thresholds as Keras spaces them: 0, 1 / (n - 1), ..., 1, or 0.5 alone.
class ThresholdCounts
{
public:
    enum class First
    {
        Zero,      ///< which 0 is not above
        BelowZero, ///< every score is above the first threshold
    };
    ThresholdCounts(std::int64_t thresholds, First first);

    void update(const MetricBatch& batch);
    void reset();
    void merge(const ThresholdCounts& other);

    /// Weights of rows above each threshold.
    struct Positives
    {
        std::vector<double> truePositives;
        std::vector<double> falsePositives;
        double trueLabels = 0.0;  ///< of all rows whose label is not 0
        double falseLabels = 0.0; ///< of all others

        double precision(std::size_t threshold) const;
        double recall(std::size_t threshold) const;
        double falsePositiveRate(std::size_t threshold) const;
    };
    Positives positives() const;

private:
    std::size_t bucketOf(float score) const;

    First m_first;
    // One for scores below every threshold, then one above each threshold and below the next.
    std::vector<double> m_trueLabels;
    std::vector<double> m_falseLabels;
};

} // namespace cannery::metrics
