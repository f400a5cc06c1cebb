// SPDX-License-Identifier: Apache-2.0
#include "core/metrics/metric_set.h"

#include "core/base/check.h"

#include <algorithm>

namespace cannery::metrics {

void MetricSet::add(std::string name, std::unique_ptr<Metric> metric, int series)
{
    // A metric of the same name is replaced.
    std::erase_if(m_entries, [&](const Entry& entry) { return entry.name == name; });
    m_entries.push_back({.name = std::move(name), .metric = std::move(metric), .series = series});
}

void MetricSet::keepNumbers()
{
    // A metric without a number has only a table.
    std::erase_if(m_entries, [](const Entry& entry) {
        std::vector<MetricValue> numbers;
        entry.metric->addResults(entry.name, numbers);
        return numbers.empty();
    });
}

bool MetricSet::reads(int series) const
{
    return std::any_of(m_entries.begin(), m_entries.end(),
                       [series](const Entry& entry) { return entry.series == series; });
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
        entry.metric->addResults(entry.name, values);
    }
    // By name, so that the order does not depend on how they were added.
    std::sort(values.begin(), values.end(),
              [](const MetricValue& a, const MetricValue& b) { return a.name < b.name; });
    return values;
}

std::vector<MetricTable> MetricSet::tables() const
{
    std::vector<MetricTable> tables;
    for (const Entry& entry : m_entries) {
        if (std::optional<MetricTable> table = entry.metric->table(entry.name)) {
            tables.push_back(*std::move(table));
        }
    }
    return tables;
}

} // namespace cannery::metrics
