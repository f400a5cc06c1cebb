// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/curves/chart_content.h"

#include <algorithm>

namespace cannery::ui {
namespace {

/// Values of derived columns that may be computed per event loop turn: about 8 ms.
constexpr qsizetype kBudget = 2'000'000;

} // namespace

ChartContent::ChartContent() = default;
ChartContent::~ChartContent() = default;

void ChartContent::setCurves(const QList<Curve>& curves)
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

void ChartContent::setOptions(const ChartOptions& options)
{
    m_options = options;
    if (m_options.logX && m_options.xLimits && m_options.xLimits->min <= 0) {
        m_options.xLimits.reset();
    }
    if (m_options.logY && m_options.yLimits && m_options.yLimits->min <= 0) {
        m_options.yLimits.reset();
    }
}

bool ChartContent::update()
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

bool ChartContent::isEmpty() const
{
    return std::ranges::all_of(m_curves, [](const Curve& curve) {
        return curve.series ? curve.series->size() == 0 : !curve.band || curve.band->steps.empty();
    });
}

std::optional<float> ChartContent::lastValue(int curve) const
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

qint64 ChartContent::nonFiniteCount(qint64* nan) const
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

qint64 ChartContent::hiddenCount() const
{
    qint64 hidden = 0;
    for (const std::unique_ptr<CurveData>& data : m_data) {
        hidden += data && m_options.logY ? data->notPositiveCount() : 0;
    }
    return hidden;
}

bool ChartContent::isFaded(const Curve& curve) const
{
    return !m_emphasis.isEmpty() && curve.run != m_emphasis;
}

} // namespace cannery::ui
