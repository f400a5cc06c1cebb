// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace cannery::metrics {

/// A batch as seen by a metric. A metric reads predictions, labels or both, which have equal
/// lengths. `weights` has the same length, or is empty: all 1.
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

/// A streaming number over any number of batches: tf.keras.metrics of TensorFlow 2.15, accumulated
/// in double and in the order of the rows. update() does not allocate.
class Metric
{
public:
    virtual ~Metric() = default;

    virtual void update(const MetricBatch& batch) = 0;
    /// Over everything since the last reset; TensorFlow's 0 if a denominator is 0.
    virtual double result() const = 0;
    virtual void reset() = 0;
    /// Adds what another metric of the same kind and options has accumulated.
    virtual void merge(const Metric& other) = 0;
};

} // namespace cannery::metrics
