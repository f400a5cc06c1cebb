// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/runs/run_groups.h"

#include "ui/models/curves/series.h"
#include "ui/models/formats.h"
#include "ui/models/runs/run_fields.h"

#include <QCoreApplication>
#include <QMap>

#include <algorithm>
#include <cmath>

namespace cannery::ui {
namespace {

QString groupLabel(const QString& parameter, const RunGroup& group)
{
    const QString value =
        group.value.isNull() ? QCoreApplication::translate("RunGroups", "none") : group.value;
    return QCoreApplication::translate("RunGroups", "%1 %2 · n = %3")
        .arg(shortParameterName(parameter), value, formatCount(group.runs.size()));
}

bool comesBefore(const RunGroup& a, const RunGroup& b)
{
    if (a.value.isNull() != b.value.isNull()) {
        return b.value.isNull();
    }
    const std::optional<double> left = numberOf(a.value);
    const std::optional<double> right = numberOf(b.value);
    if (left && right) {
        return *left < *right;
    }
    return a.value < b.value;
}

/// Interpolates between sorted neighbours, as most programs compute quantiles.
float quantile(const std::vector<float>& sorted, double share)
{
    const double at = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    const double part = at - static_cast<double>(below);
    return static_cast<float>(sorted[below] + part * (sorted[above] - sorted[below]));
}

struct Moments
{
    double mean = 0;
    double deviation = 0;
};

Moments momentsOf(const std::vector<float>& values)
{
    double sum = 0;
    for (const float value : values) {
        sum += value;
    }
    const double mean = sum / static_cast<double>(values.size());
    double squares = 0;
    for (const float value : values) {
        squares += (value - mean) * (value - mean);
    }
    const double deviation =
        values.size() < 2 ? 0 : std::sqrt(squares / static_cast<double>(values.size() - 1));
    return {mean, deviation};
}

/// Walks through one series along ascending steps.
class Walker
{
public:
    explicit Walker(const StepPoints& points) : m_points(&points) {}

    /// The value at a step not before the last one requested; empty outside the series.
    std::optional<float> at(std::int64_t step)
    {
        const std::vector<std::int64_t>& steps = m_points->steps;
        // Not continued beyond its ends: a run that stopped early takes no part in later steps.
        if (steps.empty() || step < steps.front() || step > steps.back()) {
            return std::nullopt;
        }
        while (steps[m_next] < step) {
            ++m_next;
        }
        if (steps[m_next] == step) {
            return m_points->values[m_next];
        }
        const double left = m_points->values[m_next - 1];
        const double right = m_points->values[m_next];
        const double part = static_cast<double>(step - steps[m_next - 1]) /
                            static_cast<double>(steps[m_next] - steps[m_next - 1]);
        return static_cast<float>(left + part * (right - left));
    }

private:
    const StepPoints* m_points;
    std::size_t m_next = 0;
};

std::vector<std::int64_t> allSteps(const std::vector<StepPoints>& series)
{
    std::vector<std::int64_t> steps;
    for (const StepPoints& points : series) {
        std::vector<std::int64_t> merged;
        merged.reserve(steps.size() + points.steps.size());
        std::set_union(steps.begin(), steps.end(), points.steps.begin(), points.steps.end(),
                       std::back_inserter(merged));
        steps = std::move(merged);
    }
    return steps;
}

void addStep(GroupBand& band, std::int64_t step, std::vector<float>& values, GroupCentre centre,
             GroupSpread spread)
{
    std::sort(values.begin(), values.end());
    const Moments moments = momentsOf(values);
    band.steps.push_back(static_cast<double>(step));
    band.centre.push_back(centre == GroupCentre::Mean ? static_cast<float>(moments.mean)
                                                      : quantile(values, 0.5));
    band.counts.push_back(static_cast<int>(values.size()));
    switch (spread) {
    case GroupSpread::MinMax:
        band.low.push_back(values.front());
        band.high.push_back(values.back());
        return;
    case GroupSpread::StandardDeviation:
        band.low.push_back(static_cast<float>(moments.mean - moments.deviation));
        band.high.push_back(static_cast<float>(moments.mean + moments.deviation));
        return;
    case GroupSpread::Quartiles:
        band.low.push_back(quantile(values, 0.25));
        band.high.push_back(quantile(values, 0.75));
        return;
    }
}

} // namespace

QList<RunGroup> groupRuns(const QList<const RunRow*>& runs, const QString& parameter)
{
    // Null and empty texts differ: a run without the parameter is not a run with an empty one.
    QMap<QString, RunGroup> byValue;
    RunGroup without;
    for (const RunRow* run : runs) {
        const QString value = parameterText(*run, parameter);
        RunGroup& group = value.isNull() ? without : byValue[value];
        group.value = value;
        group.runs.append(run->name);
        group.colourSlot = run->colourSlot; // newest first: the last one is the oldest
    }
    QList<RunGroup> groups = byValue.values();
    if (!without.runs.isEmpty()) {
        groups.append(without);
    }
    std::stable_sort(groups.begin(), groups.end(), comesBefore);
    for (RunGroup& group : groups) {
        group.label = groupLabel(parameter, group);
    }
    return groups;
}

StepPoints stepPoints(const Series& series)
{
    StepPoints points;
    const auto steps = series.steps();
    const auto values = series.values();
    for (const SeriesSegment& segment : series.segments()) {
        // What a later session has logged again is not part of the curve.
        for (qsizetype i = segment.begin; i < segment.overwrittenFrom; ++i) {
            const auto at = static_cast<std::size_t>(i);
            if (!std::isfinite(values[at])) {
                continue;
            }
            // A step that was logged twice counts once, with its last value.
            if (!points.steps.empty() && steps[at] <= points.steps.back()) {
                if (steps[at] == points.steps.back()) {
                    points.values.back() = values[at];
                }
                continue;
            }
            points.steps.push_back(steps[at]);
            points.values.push_back(values[at]);
        }
    }
    return points;
}

GroupBand groupBand(const std::vector<StepPoints>& series, GroupCentre centre, GroupSpread spread)
{
    GroupBand band;
    std::vector<Walker> walkers;
    for (const StepPoints& points : series) {
        walkers.emplace_back(points);
    }
    std::vector<float> values;
    for (const std::int64_t step : allSteps(series)) {
        values.clear();
        for (Walker& walker : walkers) {
            if (const std::optional<float> value = walker.at(step)) {
                values.push_back(*value);
            }
        }
        if (!values.empty()) {
            addStep(band, step, values, centre, spread);
        }
    }
    return band;
}

QString meanAndDeviation(const QList<double>& values)
{
    std::vector<float> finite;
    for (const double value : values) {
        if (std::isfinite(value)) {
            finite.push_back(static_cast<float>(value));
        }
    }
    if (finite.empty()) {
        return {};
    }
    const Moments moments = momentsOf(finite);
    if (finite.size() < 2) {
        return formatNumber(moments.mean);
    }
    return formatNumber(moments.mean) + QStringLiteral(" ± ") + formatNumber(moments.deviation, 2);
}

} // namespace cannery::ui
