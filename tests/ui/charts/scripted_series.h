// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/curves/series.h"

#include <cmath>

namespace cannery::tests {

/// A series whose points the test writes.
class ScriptedSeries : public ui::Series
{
public:
    explicit ScriptedSeries(ui::SeriesKey key) : Series(std::move(key)) {}

    qsizetype size() const override { return qsizetype(m_values.size()); }
    std::span<const std::int64_t> steps() const override { return m_steps; }
    std::span<const float> seconds() const override { return m_seconds; }
    std::span<const float> values() const override { return m_values; }
    double wallStart() const override { return 1'700'000'000; }

    void setStepsPerEpoch(double steps) { m_stepsPerEpoch = steps; }

    /// A tenth of a second per step.
    void add(std::int64_t step, float value)
    {
        if (m_segments.empty()) {
            m_segments.push_back({0, 0, 0});
        }
        if (!m_steps.empty() && step <= m_steps.back()) {
            resumeAt(step);
        }
        m_steps.push_back(step);
        m_seconds.push_back(float(m_steps.size()) * 0.1F);
        m_values.push_back(value);
        ui::SeriesSegment& last = m_segments.back();
        ++last.end;
        ++last.overwrittenFrom;
        if (std::isnan(value)) {
            ++m_nanCount;
        } else if (std::isinf(value)) {
            ++(value > 0 ? m_positiveInfinityCount : m_negativeInfinityCount);
        }
    }
    /// Call after adding: what a store does at the end of a chunk.
    void publish()
    {
        m_pyramid.update(m_values);
        ++m_revision;
    }

private:
    void resumeAt(std::int64_t step)
    {
        ui::SeriesSegment& before = m_segments.back();
        while (before.overwrittenFrom > before.begin &&
               m_steps[size_t(before.overwrittenFrom - 1)] >= step) {
            --before.overwrittenFrom;
        }
        m_segments.push_back({size(), size(), size()});
    }

    std::vector<std::int64_t> m_steps;
    std::vector<float> m_seconds;
    std::vector<float> m_values;
};

} // namespace cannery::tests
