// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/chart_plot.h"

#include "ui/widgets/theme.h"

#include <QFontMetricsF>

#include <algorithm>
#include <cmath>

namespace cannery::ui {
namespace {

/// Values a turn of the event loop may spend on derived columns: about 8 ms.
constexpr qsizetype kBudget = 2'000'000;
/// Values looked at for percentiles; of more, evenly chosen ones stand for all.
constexpr qsizetype kPercentileSamples = 32'768;
constexpr qint64 kTickHold = 1000;

AxisLimits united(const std::optional<AxisLimits>& a, AxisLimits b)
{
    return a ? AxisLimits{std::min(a->min, b.min), std::max(a->max, b.max)} : b;
}

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

void ChartPlot::layOut(const QSizeF& size, qint64 now, bool byPerson)
{
    const QFontMetricsF metrics(textFont(TextRole::Axis));
    // Widths and heights of the widest labels there can be, never of those there are: the plot
    // stands still whatever its numbers.
    const double left =
        std::max(double(scaled(44)), metrics.horizontalAdvance(QStringLiteral("−100,000")) + 8);
    const double bottom = metrics.height() + scaled(9);
    m_size = size;
    m_plot = QRectF(QPointF(std::ceil(left), scaled(8)),
                    QPointF(size.width() - scaled(10), std::floor(size.height() - bottom)));
    m_plot.setWidth(std::max(m_plot.width(), 10.0));
    m_plot.setHeight(std::max(m_plot.height(), 10.0));

    const AxisLimits beforeX = m_x.limits();
    const AxisLimits beforeY = m_y.limits();
    const bool sameKind = m_x.isLog() == m_options.logX && m_y.isLog() == m_options.logY;
    m_x = AxisScale(m_options.xLimits.value_or(dataX()), m_options.logX);
    m_y = AxisScale(m_options.yLimits.value_or(dataY()), m_options.logY);
    const bool moved = beforeX != m_x.limits() || beforeY != m_y.limits();
    const int across = std::clamp(int(m_plot.width() / std::max(double(scaled(52)), 40.0)), 2, 8);
    // Ticks do not dance while numbers stream in, but never stand where they no longer belong.
    const bool hold = !moved || (now - m_ticksMade < kTickHold && suits(m_xTicks, m_x, across) &&
                                 suits(m_yTicks, m_y, tickCountY()));
    if (m_ticksMade >= 0 && sameKind && !byPerson && hold) {
        return;
    }
    m_ticksMade = now;
    m_xTicks = makeTicks(m_x, tickFormatOf(m_options.xAxis), across);
    m_yTicks = makeTicks(m_y, TickFormat::Number, tickCountY());
}

int ChartPlot::tickCountY() const
{
    return std::clamp(int(m_plot.height() / std::max(double(scaled(18)), 14.0)), 2, 5);
}

AxisLimits ChartPlot::dataX() const
{
    std::optional<AxisLimits> range;
    for (size_t i = 0; i < m_data.size(); ++i) {
        if (m_data[i]) {
            if (const auto own = m_data[i]->xRange(m_options.xAxis, m_options.logX)) {
                range = united(range, *own);
            }
        } else if (m_curves[qsizetype(i)].band && !m_curves[qsizetype(i)].band->steps.empty()) {
            const std::vector<double>& steps = m_curves[qsizetype(i)].band->steps;
            if (!m_options.logX || steps.front() > 0) {
                range = united(range, {steps.front(), steps.back()});
            }
        }
    }
    if (!range) {
        return {m_options.logX ? 1.0 : 0.0, m_options.logX ? 10.0 : 1.0};
    }
    if (m_options.logX) {
        return range->max > range->min ? *range : AxisLimits{range->min / 2, range->max * 2};
    }
    const double length = range->max - range->min;
    if (length <= 0) {
        const double room = m_options.xAxis == XAxis::WallClock ? 30 : 1;
        return {range->min - room, range->max + room};
    }
    if (m_options.xAxis != XAxis::WallClock && range->min > 0 && range->min < 0.05 * length) {
        range->min = 0;
    }
    // Room for the dot of a live end.
    return {range->min, range->max + 0.02 * length};
}

std::optional<AxisLimits> ChartPlot::visibleExtremes() const
{
    std::optional<AxisLimits> range;
    const AxisLimits limits = m_x.limits();
    for (const auto& data : m_data) {
        if (!data) {
            continue;
        }
        const YColumn y = data->raw(m_options.logY);
        for (const SeriesSegment& segment : data->series().segments()) {
            const IndexRange visible = data->inside(segment, m_options.xAxis, limits);
            const auto extremes = y.extremes(visible.begin, visible.end);
            if (!extremes.empty) {
                range = united(range, {double(extremes.min), double(extremes.max)});
            }
        }
    }
    for (const Curve& curve : m_curves) {
        for (size_t i = 0; curve.band && i < curve.band->steps.size(); ++i) {
            const double step = curve.band->steps[i];
            const AxisLimits own{double(curve.band->low[i]), double(curve.band->high[i])};
            if (step >= limits.min && step <= limits.max && std::isfinite(own.min) &&
                std::isfinite(own.max) && (!m_options.logY || own.min > 0)) {
                range = united(range, own);
            }
        }
    }
    return range;
}

std::optional<AxisLimits> ChartPlot::visiblePercentiles() const
{
    std::vector<std::pair<size_t, IndexRange>> ranges;
    qsizetype total = 0;
    for (size_t i = 0; i < m_data.size(); ++i) {
        if (!m_data[i]) {
            continue;
        }
        for (const SeriesSegment& segment : m_data[i]->series().segments()) {
            const IndexRange visible = m_data[i]->inside(segment, m_options.xAxis, m_x.limits());
            ranges.emplace_back(i, visible);
            total += visible.size();
        }
    }
    const qsizetype stride = total / kPercentileSamples + 1;
    std::vector<float> sample;
    sample.reserve(size_t(std::min(total, 2 * kPercentileSamples)));
    for (const auto& [curve, range] : ranges) {
        const YColumn y = m_data[curve]->raw(m_options.logY);
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

AxisLimits ChartPlot::dataY() const
{
    std::optional<AxisLimits> range;
    if (m_options.ignoreOutliers) {
        range = visiblePercentiles();
    }
    if (!range) {
        range = visibleExtremes();
    }
    if (!range) {
        return {m_options.logY ? 0.1 : 0.0, m_options.logY ? 10.0 : 1.0};
    }
    return niceLimits(*range, m_options.logY, tickCountY());
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
    // Walks over what no later point overwrote.
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
        // The line between the neighbours, not the point alone: points may lie far apart.
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
    // At most some hundred looks a part: this is a word, not a number.
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
