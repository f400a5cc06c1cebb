// SPDX-License-Identifier: Apache-2.0
#include "core/metrics/metric_set.h"

#include "core/base/check.h"

#include <algorithm>

namespace cannery::metrics {

void MetricSet::add(std::string name, std::unique_ptr<Metric> metric, int series)
{
    m_entries.push_back({.name = std::move(name), .metric = std::move(metric), .series = series});
}

void MetricSet::update(int series, const MetricBatch& batch)
{
    for (const Entry& entry : m_entries) {
        if (entry.series == series) {
            entry.metric->update(batch);
        }
    }
}

void MetricSet::reset()
{
    for (const Entry& entry : m_entries) {
        entry.metric->reset();
    }
}

void MetricSet::merge(const MetricSet& other)
{
    CANNERY_CHECK(m_entries.size() == other.m_entries.size());
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        CANNERY_CHECK(m_entries[i].name == other.m_entries[i].name);
        m_entries[i].metric->merge(*other.m_entries[i].metric);
    }
}

std::vector<MetricValue> MetricSet::results() const
{
    std::vector<MetricValue> values;
    values.reserve(m_entries.size());
    for (const Entry& entry : m_entries) {
        values.push_back({.name = entry.name, .value = entry.metric->result()});
    }
    std::sort(values.begin(), values.end(),
              [](const MetricValue& a, const MetricValue& b) { return a.name < b.name; });
    return values;
}

} // namespace cannery::metrics
