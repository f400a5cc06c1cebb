// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/curves/chart_table_model.h"

#include "ui/charts/curves/chart_plot.h"
#include "ui/models/formats.h"

#include <algorithm>

namespace cannery::ui {
namespace {

constexpr qsizetype kMostMergedPoints = 500'000;

} // namespace

ChartTableModel::ChartTableModel(const ChartPlot& plot, QObject* parent)
    : QAbstractTableModel(parent), m_plot(plot)
{
    refresh();
}

void ChartTableModel::refresh()
{
    beginResetModel();
    m_steps.clear();
    m_labels.clear();
    qsizetype total = 0;
    qsizetype longest = 0;
    std::vector<std::vector<IndexRange>> ranges(size_t(m_plot.content.curves().size()));
    std::vector<qsizetype> sizes(ranges.size());
    for (size_t i = 0; i < ranges.size(); ++i) {
        m_labels += m_plot.content.curves()[qsizetype(i)].label;
        const CurveData* data = m_plot.content.data(int(i));
        if (!data) {
            continue;
        }
        for (const SeriesSegment& segment : data->series().segments()) {
            SeriesSegment fresh = segment;
            fresh.end = std::min(segment.end, segment.overwrittenFrom);
            ranges[i].push_back(
                data->visible(fresh, m_plot.content.options().xAxis, m_plot.axes.x().limits()));
            sizes[i] += ranges[i].back().size();
        }
        total += sizes[i];
        longest = std::max(longest, sizes[i]);
    }
    m_isOfLongestOnly = total > kMostMergedPoints;
    for (size_t i = 0; i < ranges.size(); ++i) {
        if (m_isOfLongestOnly && sizes[i] != longest) {
            continue;
        }
        for (const IndexRange& range : ranges[i]) {
            const auto steps = m_plot.content.data(int(i))->series().steps();
            m_steps.insert(m_steps.end(), steps.begin() + range.begin, steps.begin() + range.end);
        }
        if (m_isOfLongestOnly) {
            break;
        }
    }
    for (const Curve& curve : m_plot.content.curves()) {
        if (curve.band && !curve.series && !m_isOfLongestOnly) {
            for (const double step : curve.band->steps) {
                m_steps.push_back(qint64(step));
            }
        }
    }
    std::ranges::sort(m_steps);
    m_steps.erase(std::unique(m_steps.begin(), m_steps.end()), m_steps.end());
    endResetModel();
}

int ChartTableModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_steps.size());
}

int ChartTableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : 1 + int(m_labels.size());
}

QString ChartTableModel::text(qint64 step, int curve) const
{
    if (curve >= m_plot.content.curves().size()) {
        return {};
    }
    if (const CurveData* data = m_plot.content.data(curve)) {
        const auto index = data->nearest(double(step), XAxis::Step);
        if (index && data->series().steps()[size_t(*index)] == step) {
            return formatExact(data->series().values()[size_t(*index)]);
        }
        return {};
    }
    const BandCurve& band = *m_plot.content.curves()[curve].band;
    const auto at = std::ranges::lower_bound(band.steps, double(step));
    if (at == band.steps.end() || qint64(*at) != step) {
        return {};
    }
    return formatExact(band.centre[size_t(at - band.steps.begin())]);
}

QVariant ChartTableModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= int(m_steps.size())) {
        return {};
    }
    if (role == Qt::TextAlignmentRole) {
        return QVariant::fromValue(Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter));
    }
    if (role != Qt::DisplayRole && role != Qt::AccessibleTextRole) {
        return {};
    }
    const qint64 step = m_steps[size_t(index.row())];
    return index.column() == 0 ? formatCount(step) : text(step, index.column() - 1);
}

QVariant ChartTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal) {
        return {};
    }
    if (role == Qt::TextAlignmentRole) {
        return QVariant::fromValue(Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter));
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    return section == 0 ? tr("Step") : m_labels.value(section - 1);
}

} // namespace cannery::ui
