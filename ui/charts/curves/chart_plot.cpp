// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/curves/chart_plot.h"

#include <algorithm>
#include <cmath>

namespace cannery::ui {
namespace {

/// Values of derived columns that may be computed per event loop turn: about 8 ms.
constexpr qsizetype kBudget = 2'000'000;

} // namespace

ChartPlot::ChartPlot() = default;
ChartPlot::~ChartPlot() = default;

void ChartPlot::setCurves(const QList<Curve>& curves)
{
    std::vector<std::unique_ptr<CurveData>> data(size_t(curves.size()));
    for (qsizetype i = 0; i < curves.size(); ++i) {
        if (!curves[i].series) {
            continue;
        }
        for (std::unique_ptr<CurveData>& old : m_data) {
            if (old && &old->series() == curves[i].series) {
                data[size_t(i)] = std::move(old);
            }
        }
        if (!data[size_t(i)]) {
            data[size_t(i)] = std::make_unique<CurveData>(*curves[i].series);
        }
    }
    m_data = std::move(data);
    m_curves = curves;
}

void ChartPlot::setOptions(const ChartOptions& options)
{
    m_options = options;
    if (m_options.logX && m_options.xLimits && m_options.xLimits->min <= 0) {
        m_options.xLimits.reset();
    }
    if (m_options.logY && m_options.yLimits && m_options.yLimits->min <= 0) {
        m_options.yLimits.reset();
    }
}

bool ChartPlot::update()
{
    qsizetype budget = kBudget;
    bool isComplete = true;
    for (const std::unique_ptr<CurveData>& data : m_data) {
        if (data) {
            isComplete = data->update(m_options, budget) && isComplete;
        }
    }
    return isComplete;
}

bool ChartPlot::isEmpty() const
{
    return std::ranges::all_of(m_curves, [](const Curve& curve) {
        return curve.series ? curve.series->size() == 0 : !curve.band || curve.band->steps.empty();
    });
}

std::optional<double> ChartPlot::snapped(double x) const
{
    std::optional<double> best;
    const auto consider = [&](double candidate) {
        if (!best || std::fabs(candidate - x) < std::fabs(*best - x)) {
            best = candidate;
        }
    };
    for (qsizetype i = 0; i < m_curves.size(); ++i) {
        if (const CurveData* data = m_data[size_t(i)].get()) {
            if (const auto index = data->nearest(x, m_options.xAxis)) {
                consider(XColumn(data->series(), m_options.xAxis)[*index]);
            }
        } else if (m_curves[i].band) {
            for (const double step : m_curves[i].band->steps) {
                consider(step);
            }
        }
    }
    return best;
}

std::optional<double> ChartPlot::neighbour(int curve, double x, int by) const
{
    if (curve < 0 || curve >= m_curves.size() || !m_data[size_t(curve)]) {
        return std::nullopt;
    }
    const CurveData& data = *m_data[size_t(curve)];
    const auto here = data.nearest(x, m_options.xAxis);
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
    return XColumn(data.series(), m_options.xAxis)[index];
}

QList<ReadoutRow> ChartPlot::rows(double x) const
{
    QList<ReadoutRow> rows;
    const double tolerance = std::fabs(toX(m_plot.left() + 6) - toX(m_plot.left()));
    for (qsizetype i = 0; i < m_curves.size(); ++i) {
        const Curve& curve = m_curves[i];
        ReadoutRow row{.run = curve.run,
                       .label = curve.label,
                       .colourSlot = curve.colourSlot,
                       .dashed = curve.dashed};
        if (const CurveData* data = m_data[size_t(i)].get()) {
            const auto index = data->nearest(x, m_options.xAxis);
            const auto range = data->xRange(m_options.xAxis, false);
            if (!index || !range || x < range->min - tolerance || x > range->max + tolerance) {
                continue;
            }
            const Series& series = data->series();
            row.step = series.steps()[size_t(*index)];
            row.value = series.values()[size_t(*index)];
            row.smoothed = data->smoothedAt(*index);
            if (m_options.smoothing.isOff()) {
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

int ChartPlot::curveAt(const QPointF& pixel) const
{
    int best = -1;
    double bestDistance = 8;
    const double x = toX(pixel.x());
    for (qsizetype i = 0; i < m_curves.size(); ++i) {
        const CurveData* data = m_data[size_t(i)].get();
        const auto index = data ? data->nearest(x, m_options.xAxis) : std::nullopt;
        if (!index) {
            continue;
        }
        const YColumn y = m_options.smoothing.isOff() ? data->raw(m_options.logY)
                                                      : data->smoothed(m_options.logY);
        const XColumn column(data->series(), m_options.xAxis);
        // The line between the neighbours, not only the point: points may be far apart.
        const auto at = [&](qsizetype point) {
            return QPointF(toPixel(column[point]), yToPixel(double(y.values[size_t(point)])));
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

std::optional<float> ChartPlot::lastValue(int curve) const
{
    if (curve < 0 || curve >= m_curves.size()) {
        return std::nullopt;
    }
    if (const CurveData* data = m_data[size_t(curve)].get()) {
        return data->lastValue();
    }
    const std::shared_ptr<const BandCurve>& band = m_curves[curve].band;
    return band && !band->centre.empty() ? std::optional<float>(band->centre.back()) : std::nullopt;
}

qint64 ChartPlot::nonFiniteCount(qint64* nan) const
{
    qint64 nans = 0;
    qint64 infinities = 0;
    for (const Curve& curve : m_curves) {
        if (curve.series) {
            nans += curve.series->nanCount();
            infinities +=
                curve.series->positiveInfinityCount() + curve.series->negativeInfinityCount();
        }
    }
    if (nan) {
        *nan = nans;
    }
    return nans + infinities;
}

qint64 ChartPlot::hiddenCount() const
{
    qint64 hidden = 0;
    for (const std::unique_ptr<CurveData>& data : m_data) {
        hidden += data && m_options.logY ? data->notPositiveCount() : 0;
    }
    return hidden;
}

QString ChartPlot::xTitle() const
{
    switch (m_options.xAxis) {
    case XAxis::Step:
        return tr("Step");
    case XAxis::Epoch:
        return tr("Epoch");
    case XAxis::WallClock:
        return tr("Wall clock");
    case XAxis::Relative:
        return tr("Time since start");
    }
    return {};
}

QString ChartPlot::trend(int curve) const
{
    const CurveData* data =
        curve >= 0 && curve < m_curves.size() ? m_data[size_t(curve)].get() : nullptr;
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
        return tr("steady");
    }
    return now < before ? tr("falling") : tr("rising");
}

bool ChartPlot::isFaded(const Curve& curve) const
{
    return !m_emphasis.isEmpty() && curve.run != m_emphasis;
}

} // namespace cannery::ui
