// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/curves/chart_reading.h"

#include "ui/charts/curves/chart_plot.h"

#include <QCoreApplication>
#include <QPointF>

#include <algorithm>
#include <cmath>

namespace cannery::ui {
namespace {

struct ReadingWords
{
    Q_DECLARE_TR_FUNCTIONS(ChartReading)
};

} // namespace

std::optional<double> snappedX(const ChartContent& content, double x)
{
    std::optional<double> best;
    const auto consider = [&](double candidate) {
        if (!best || std::fabs(candidate - x) < std::fabs(*best - x)) {
            best = candidate;
        }
    };
    for (qsizetype i = 0; i < content.curves().size(); ++i) {
        if (const CurveData* data = content.data(i)) {
            if (const auto index = data->nearest(x, content.options().xAxis)) {
                consider(XColumn(data->series(), content.options().xAxis)[*index]);
            }
        } else if (content.curves()[i].band) {
            for (const double step : content.curves()[i].band->steps) {
                consider(step);
            }
        }
    }
    return best;
}

std::optional<double> neighbourX(const ChartContent& content, int curve, double x, int by)
{
    if (curve < 0 || curve >= content.curves().size() || !content.data(curve)) {
        return std::nullopt;
    }
    const CurveData& data = *content.data(curve);
    const auto here = data.nearest(x, content.options().xAxis);
    if (!here) {
        return std::nullopt;
    }
    // Skips what a later point overwrote.
    qsizetype index = *here;
    const std::vector<SeriesSegment>& segments = data.series().segments();
    const auto isShown = [&](qsizetype i) {
        return std::ranges::any_of(segments, [i](const SeriesSegment& segment) {
            return i >= segment.begin && i < std::min(segment.overwrittenFrom, segment.end);
        });
    };
    const int direction = by < 0 ? -1 : 1;
    for (int left = std::abs(by); left > 0;) {
        qsizetype next = index + direction;
        while (next >= 0 && next < data.series().size() && !isShown(next)) {
            next += direction;
        }
        if (next < 0 || next >= data.series().size()) {
            break;
        }
        index = next;
        --left;
    }
    return XColumn(data.series(), content.options().xAxis)[index];
}

QList<ReadoutRow> readoutRows(const ChartPlot& plot, double x)
{
    const ChartContent& content = plot.content;
    const ChartAxes& axes = plot.axes;
    QList<ReadoutRow> rows;
    const double tolerance =
        std::fabs(axes.toX(axes.plot().left() + 6) - axes.toX(axes.plot().left()));
    for (qsizetype i = 0; i < content.curves().size(); ++i) {
        const Curve& curve = content.curves()[i];
        ReadoutRow row{.run = curve.run,
                       .label = curve.label,
                       .colourSlot = curve.colourSlot,
                       .dashed = curve.dashed};
        if (const CurveData* data = content.data(i)) {
            const auto index = data->nearest(x, content.options().xAxis);
            const auto range = data->xRange(content.options().xAxis, false);
            if (!index || !range || x < range->min - tolerance || x > range->max + tolerance) {
                continue;
            }
            const Series& series = data->series();
            row.step = series.steps()[size_t(*index)];
            row.value = series.values()[size_t(*index)];
            row.smoothed = data->smoothedAt(*index);
            if (content.options().smoothing.isOff()) {
                row.smoothed.reset();
            }
            row.sinceStart = double(series.seconds()[size_t(*index)]);
            row.wallTime = series.wallStart() + row.sinceStart;
        } else if (curve.band && !curve.band->steps.empty()) {
            const std::vector<double>& steps = curve.band->steps;
            if (x < steps.front() - tolerance || x > steps.back() + tolerance) {
                continue;
            }
            auto at = size_t(std::ranges::lower_bound(steps, x) - steps.begin());
            if (at == steps.size() || (at > 0 && x - steps[at - 1] < steps[at] - x)) {
                --at;
            }
            row.step = qint64(steps[at]);
            row.value = curve.band->centre[at];
        } else {
            continue;
        }
        rows += row;
    }
    std::ranges::stable_sort(rows, [](const ReadoutRow& a, const ReadoutRow& b) {
        return std::isnan(b.value) ? !std::isnan(a.value) : a.value > b.value;
    });
    return rows;
}

int curveAt(const ChartPlot& plot, const QPointF& pixel)
{
    const ChartContent& content = plot.content;
    const ChartAxes& axes = plot.axes;
    int best = -1;
    double bestDistance = 8;
    const double x = axes.toX(pixel.x());
    for (qsizetype i = 0; i < content.curves().size(); ++i) {
        const CurveData* data = content.data(i);
        const auto index = data ? data->nearest(x, content.options().xAxis) : std::nullopt;
        if (!index) {
            continue;
        }
        const YColumn y = content.options().smoothing.isOff()
                              ? data->raw(content.options().logY)
                              : data->smoothed(content.options().logY);
        const XColumn column(data->series(), content.options().xAxis);
        // The line between the neighbours, not only the point: points may be far apart.
        const auto at = [&](qsizetype point) {
            return QPointF(axes.toPixel(column[point]),
                           axes.yToPixel(double(y.values[size_t(point)])));
        };
        if (*index >= qsizetype(y.values.size())) {
            continue;
        }
        const QPointF here = at(*index);
        double distance = std::hypot(here.x() - pixel.x(), here.y() - pixel.y());
        for (const qsizetype other : {*index - 1, *index + 1}) {
            if (other < 0 || other >= qsizetype(y.values.size())) {
                continue;
            }
            const QPointF there = at(other);
            const bool spans = (here.x() - pixel.x()) * (there.x() - pixel.x()) <= 0;
            if (spans && there.x() != here.x()) {
                const double share = (pixel.x() - here.x()) / (there.x() - here.x());
                const double level = here.y() + share * (there.y() - here.y());
                distance = std::min(distance, std::fabs(level - pixel.y()));
            }
        }
        if (distance < bestDistance) {
            bestDistance = distance;
            best = int(i);
        }
    }
    return best;
}

std::optional<double> xOfStep(const ChartContent& content, double step)
{
    if (content.options().xAxis == XAxis::Step) {
        return step;
    }
    for (qsizetype i = 0; i < content.curves().size(); ++i) {
        const CurveData* data = content.data(i);
        if (!data) {
            continue;
        }
        if (content.options().xAxis == XAxis::Epoch) {
            const double per = data->series().stepsPerEpoch();
            return per > 0 ? step / per : step;
        }
        if (const auto index = data->nearest(step, XAxis::Step)) {
            return XColumn(data->series(), content.options().xAxis)[*index];
        }
    }
    return std::nullopt;
}

QString titleOf(XAxis axis)
{
    switch (axis) {
    case XAxis::Step:
        return ReadingWords::tr("Step");
    case XAxis::Epoch:
        return ReadingWords::tr("Epoch");
    case XAxis::WallClock:
        return ReadingWords::tr("Wall clock");
    case XAxis::Relative:
        return ReadingWords::tr("Time since start");
    }
    return {};
}

QString trendOf(const ChartContent& content, int curve)
{
    const CurveData* data =
        curve >= 0 && curve < content.curves().size() ? content.data(curve) : nullptr;
    const std::span<const float> values = data ? data->series().values() : std::span<const float>();
    if (values.size() < 2) {
        return {};
    }
    // At most some hundred accesses per part: the result is a word, not a number.
    const size_t fifth = std::max<size_t>(values.size() / 5, 1);
    const auto mean = [&](size_t begin, size_t end) {
        double sum = 0;
        int count = 0;
        for (size_t i = begin; i < end; i += std::max<size_t>((end - begin) / 256, 1)) {
            if (std::isfinite(values[i])) {
                sum += double(values[i]);
                ++count;
            }
        }
        return count > 0 ? sum / count : 0.0;
    };
    const double before = mean(values.size() - 2 * fifth, values.size() - fifth);
    const double now = mean(values.size() - fifth, values.size());
    const auto extremes = data->series().pyramid().query(values, 0, qsizetype(values.size()));
    const double range = extremes.empty ? 0 : double(extremes.max) - double(extremes.min);
    if (std::fabs(now - before) <= 0.01 * range) {
        return ReadingWords::tr("steady");
    }
    return now < before ? ReadingWords::tr("falling") : ReadingWords::tr("rising");
}

} // namespace cannery::ui
