// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cannery::metrics {

struct MetricValue
{
    std::string name; ///< TensorFlow's key: "auc", "accuracy/positive_threshold_0.4/busy"
    double value = 0.0;

    bool operator==(const MetricValue&) const = default;
};

/// The result of a metric that is more than a number.
struct MetricTable
{
    std::string name; ///< of the metric
    std::vector<std::string> rows;
    std::vector<std::string> columns;
    std::vector<double> values; ///< rows × columns, row-major

    bool operator==(const MetricTable&) const = default;
};

/// A batch as seen by a metric. A metric reads predictions, labels or both, which have equal
/// lengths, except that a label that is a class id has the probabilities of all classes for its
/// predictions. `weights` is as long as the labels (or predictions, for want of labels), or empty:
/// all 1.
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

    /// The numbers of a metric of this name: the result, unless it is a table.
    virtual void addResults(const std::string& name, std::vector<MetricValue>& values) const
    {
        values.push_back({.name = name, .value = result()});
    }
    virtual std::optional<MetricTable> table(const std::string& /*name*/) const
    {
        return std::nullopt;
    }
};

} // namespace cannery::metrics
