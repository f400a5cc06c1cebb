// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/curves/chart_limits.h"

#include "ui/charts/curves/chart_content.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace cannery::ui {
namespace {

/// The number of values used for percentiles; of more, evenly chosen ones.
constexpr qsizetype kPercentileSamples = 32'768;

AxisLimits united(const std::optional<AxisLimits>& a, AxisLimits b)
{
    return a ? AxisLimits{std::min(a->min, b.min), std::max(a->max, b.max)} : b;
}

std::optional<AxisLimits> visibleExtremes(const ChartContent& content, AxisLimits limits)
{
    std::optional<AxisLimits> range;
    for (qsizetype i = 0; i < content.curves().size(); ++i) {
        const CurveData* data = content.data(i);
        if (!data) {
            continue;
        }
        const YColumn y = data->raw(content.options().logY);
        for (const SeriesSegment& segment : data->series().segments()) {
            const IndexRange visible = data->inside(segment, content.options().xAxis, limits);
            const auto extremes = y.extremes(visible.begin, visible.end);
            if (!extremes.empty) {
                range = united(range, {double(extremes.min), double(extremes.max)});
            }
        }
    }
    for (const Curve& curve : content.curves()) {
        for (size_t i = 0; curve.band && i < curve.band->steps.size(); ++i) {
            const double step = curve.band->steps[i];
            const AxisLimits own{double(curve.band->low[i]), double(curve.band->high[i])};
            if (step >= limits.min && step <= limits.max && std::isfinite(own.min) &&
                std::isfinite(own.max) && (!content.options().logY || own.min > 0)) {
                range = united(range, own);
            }
        }
    }
    return range;
}

std::optional<AxisLimits> visiblePercentiles(const ChartContent& content, AxisLimits limits)
{
    std::vector<std::pair<qsizetype, IndexRange>> ranges;
    qsizetype total = 0;
    for (qsizetype i = 0; i < content.curves().size(); ++i) {
        const CurveData* data = content.data(i);
        if (!data) {
            continue;
        }
        for (const SeriesSegment& segment : data->series().segments()) {
            const IndexRange visible = data->inside(segment, content.options().xAxis, limits);
            ranges.emplace_back(i, visible);
            total += visible.size();
        }
    }
    const qsizetype stride = total / kPercentileSamples + 1;
    std::vector<float> sample;
    sample.reserve(size_t(std::min(total, 2 * kPercentileSamples)));
    for (const auto& [curve, range] : ranges) {
        const YColumn y = content.data(curve)->raw(content.options().logY);
        const qsizetype end = std::min(range.end, qsizetype(y.values.size()));
        for (qsizetype i = range.begin; i < end; i += stride) {
            if (std::isfinite(y.values[size_t(i)])) {
                sample.push_back(y.values[size_t(i)]);
            }
        }
    }
    if (sample.empty()) {
        return std::nullopt;
    }
    const auto quantile = [&](double share) {
        const auto place =
            sample.begin() + std::ptrdiff_t(std::lround(share * double(sample.size() - 1)));
        std::nth_element(sample.begin(), place, sample.end());
        return double(*place);
    };
    const double low = quantile(0.05);
    return AxisLimits{low, quantile(0.95)};
}

} // namespace

AxisLimits limitsOfAll(const ChartContent& content)
{
    std::optional<AxisLimits> range;
    for (qsizetype i = 0; i < content.curves().size(); ++i) {
        const std::shared_ptr<const BandCurve>& band = content.curves()[i].band;
        if (const CurveData* data = content.data(i)) {
            if (const auto own = data->xRange(content.options().xAxis, content.options().logX)) {
                range = united(range, *own);
            }
        } else if (band && !band->steps.empty()) {
            const std::vector<double>& steps = band->steps;
            if (!content.options().logX || steps.front() > 0) {
                range = united(range, {steps.front(), steps.back()});
            }
        }
    }
    if (!range) {
        return {content.options().logX ? 1.0 : 0.0, content.options().logX ? 10.0 : 1.0};
    }
    if (content.options().logX) {
        return range->max > range->min ? *range : AxisLimits{range->min / 2, range->max * 2};
    }
    const double length = range->max - range->min;
    if (length <= 0) {
        const double room = content.options().xAxis == XAxis::WallClock ? 30 : 1;
        return {range->min - room, range->max + room};
    }
    if (content.options().xAxis != XAxis::WallClock && range->min > 0 &&
        range->min < 0.05 * length) {
        range->min = 0;
    }
    // Room for the dot of a live end.
    return {range->min, range->max + 0.02 * length};
}

AxisLimits limitsWithin(const ChartContent& content, AxisLimits x, int ticks)
{
    std::optional<AxisLimits> range;
    if (content.options().ignoreOutliers) {
        range = visiblePercentiles(content, x);
    }
    if (!range) {
        range = visibleExtremes(content, x);
    }
    if (!range) {
        return {content.options().logY ? 0.1 : 0.0, content.options().logY ? 10.0 : 1.0};
    }
    return niceLimits(*range, content.options().logY, ticks);
}

} // namespace cannery::ui
