// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/metrics/metric.h"

#include <memory>
#include <string>
#include <vector>

namespace cannery::metrics {

struct MetricValue
{
    std::string name; ///< TensorFlow's key: "auc", "accuracy/positive_threshold_0.4/busy"
    double value = 0.0;

    bool operator==(const MetricValue&) const = default;
};

/// The metrics of one evaluation. A metric reads one series, a number that its head assigns to one
/// kind of values (losses, class ids, probabilities).
class MetricSet
{
public:
    void add(std::string name, std::unique_ptr<Metric> metric, int series);
    /// Passes a batch to every metric of the series; does not allocate.
    void update(int series, const MetricBatch& batch);
    void reset();
    /// Adds what the set of another part of the data has accumulated; same head, same options.
    void merge(const MetricSet& other);

    /// Sorted by name, as TensorFlow writes them.
    std::vector<MetricValue> results() const;

private:
    struct Entry
    {
        std::string name;
        std::unique_ptr<Metric> metric;
        int series = 0;
    };
    std::vector<Entry> m_entries;
};

} // namespace cannery::metrics
