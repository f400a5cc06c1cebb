// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/metrics/metric.h"

#include <memory>
#include <string>
#include <vector>

namespace cannery::metrics {

/// The metrics of one evaluation. A metric reads one series, a number that its head assigns to one
/// kind of values (losses, class ids, probabilities).
class MetricSet
{
public:
    /// Replaces a metric of the same name.
    void add(std::string name, std::unique_ptr<Metric> metric, int series);
    /// Removes the metrics that give a table and no number.
    void keepNumbers();
    /// Whether any metric reads the series.
    bool reads(int series) const;
    /// Passes a batch to every metric of the series; does not allocate.
    void update(int series, const MetricBatch& batch);
    void reset();
    /// Adds what the set of another part of the data has accumulated; same head, same options.
    void merge(const MetricSet& other);

    /// Sorted by name, as TensorFlow writes them.
    std::vector<MetricValue> results() const;
    /// Of the metrics that have one, in the order in which they were added.
    std::vector<MetricTable> tables() const;

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
