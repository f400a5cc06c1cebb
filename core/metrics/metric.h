// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace cannery::metrics {

/// What a metric sees of a batch. A metric reads predictions, labels or both; what it reads has
/// equal lengths. `weights` has the same length, or is empty: all 1.
struct MetricBatch
{
    std::span<const float> predictions;
    std::span<const float> labels;
    std::span<const float> weights;

    double weight(std::size_t index) const
    {
        return weights.empty() ? 1.0 : static_cast<double>(weights[index]);
    }
};

/// A streaming number over any count of batches: tf.keras.metrics of TensorFlow 2.15, accumulated
/// in double and in the order the rows come. update() does not allocate.
class Metric
{
public:
    virtual ~Metric() = default;

    virtual void update(const MetricBatch& batch) = 0;
    /// Of everything since the last reset; TensorFlow's 0 where a denominator is 0.
    virtual double result() const = 0;
    virtual void reset() = 0;
    /// Adds what another metric of the same kind and options has seen.
    virtual void merge(const Metric& other) = 0;
};

} // namespace cannery::metrics
