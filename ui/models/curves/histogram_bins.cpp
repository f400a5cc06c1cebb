// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/curves/histogram_bins.h"

#include "ui/models/formats.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace cannery::ui {
namespace {

/// Wider axes could not be computed with doubles.
constexpr double kFarthest = 1e300;
constexpr std::size_t kMedian = 4;

QString words(const char* text)
{
    return QCoreApplication::translate("HistogramStep", text);
}

} // namespace

std::optional<AxisLimits> valueLimits(const StepHistory<HistogramStep>& history)
{
    std::optional<AxisLimits> limits;
    for (const auto& step : history.steps) {
        if (step->count > 0) {
            const double min = std::clamp(step->min, -kFarthest, kFarthest);
            const double max = std::clamp(step->max, -kFarthest, kFarthest);
            limits = limits ? AxisLimits{std::min(limits->min, min), std::max(limits->max, max)}
                            : AxisLimits{min, max};
        }
    }
    if (limits && !(limits->max - limits->min > std::abs(limits->max) * 1e-9)) {
        const double room = limits->max == 0 ? 0.5 : std::abs(limits->max) / 10;
        limits = AxisLimits{limits->min - room, limits->max + room};
    }
    return limits;
}

std::vector<double> rebinned(const HistogramStep& step, AxisLimits limits, int bins)
{
    std::vector<double> counts(std::size_t(std::max(bins, 1)), 0.0);
    const double width = (limits.max - limits.min) / double(counts.size());
    const auto placeOf = [&](double value) {
        return std::clamp((value - limits.min) / width, 0.0, double(counts.size()));
    };
    for (std::size_t i = 0; i < step.counts.size(); ++i) {
        const double from = placeOf(step.edges[i]);
        const double to = placeOf(step.edges[i + 1]);
        const auto first = std::min(std::size_t(from), counts.size() - 1);
        if (!(to - from > 1e-9)) {
            counts[first] += step.counts[i];
            continue;
        }
        for (std::size_t bin = first; bin < counts.size() && double(bin) < to; ++bin) {
            const double part = std::min(to, double(bin) + 1) - std::max(from, double(bin));
            counts[bin] += step.counts[i] * std::max(part, 0.0) / (to - from);
        }
    }
    return counts;
}

QString describeHistogram(const HistogramStep& step)
{
    const QString at = words("Step %1").arg(formatCount(step.step));
    if (!(step.count > 0)) {
        return words("%1 · no values").arg(at);
    }
    const QString count =
        step.count == 1 ? words("1 value") : words("%1 values").arg(formatShortCount(step.count));
    return words("%1 · %2 · %3 to %4 · median %5")
        .arg(at, count, formatNumber(step.min), formatNumber(step.max),
             formatNumber(step.bounds[kMedian]));
}

std::vector<qsizetype> evenlyChosen(qsizetype count, qsizetype most)
{
    std::vector<qsizetype> chosen;
    const qsizetype shown = std::min(count, std::max<qsizetype>(most, 1));
    for (qsizetype i = 1; i <= shown; ++i) {
        chosen.push_back(i * count / shown - 1);
    }
    return chosen;
}

} // namespace cannery::ui
