// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/runs/checkpoint_model.h"

#include "ui/models/formats.h"
#include "ui/models/metric_names.h"

#include <algorithm>

namespace cannery::ui {
namespace {

constexpr qsizetype kMostMetrics = 3;

/// The decision metric first, then the usual ones.
QStringList chosenMetrics(const RunRow& run)
{
    QStringList metrics;
    for (const QString& metric : {run.shownMetric(), QStringLiteral("accuracy"),
                                  QStringLiteral("average_loss"), QStringLiteral("loss")}) {
        if (run.metric(metric) && !metrics.contains(metric) && metrics.size() < kMostMetrics) {
            metrics.append(metric);
        }
    }
    return metrics;
}

} // namespace

CheckpointModel::CheckpointModel(QObject* parent) : TableModel(parent) {}

void CheckpointModel::setRun(const RunRow& run)
{
    beginResetModel();
    m_rows = run.checkpoints;
    std::reverse(m_rows.begin(), m_rows.end());
    m_metrics = chosenMetrics(run);
    endResetModel();
}

const CheckpointRow* CheckpointModel::checkpoint(int row) const
{
    return row >= 0 && row < m_rows.size() ? &m_rows.at(row) : nullptr;
}

QVariant CheckpointModel::text(const CheckpointRow& row, int column) const
{
    if (column == Mark) {
        return row.isBest ? QStringLiteral("★") : QStringLiteral("◆");
    }
    if (column == Step) {
        return formatCount(row.step);
    }
    const int metric = column - FirstMetric;
    if (metric < m_metrics.size()) {
        for (const MetricSummary& summary : row.metrics) {
            if (summary.name == m_metrics.at(metric)) {
                return formatNumber(summary.last);
            }
        }
        return QStringLiteral("–");
    }
    switch (metric - static_cast<int>(m_metrics.size())) {
    case Size:
        return formatBytes(row.bytes);
    case Saved:
        return formatAgo(row.savedAt);
    case KeptBecause:
        return row.keptBecause;
    default:
        return {};
    }
}

int CheckpointModel::savedColumn() const
{
    return FirstMetric + static_cast<int>(m_metrics.size()) + Saved;
}

bool CheckpointModel::isNumber(int column) const
{
    return column >= Step && column < savedColumn();
}

QVariant CheckpointModel::cell(int row, int column, int role) const
{
    const CheckpointRow& shown = m_rows.at(row);
    switch (role) {
    case Qt::DisplayRole:
        return text(shown, column);
    case Qt::AccessibleTextRole:
        return column == Mark ? (shown.isBest ? tr("best") : tr("checkpoint"))
                              : text(shown, column);
    case Qt::ToolTipRole:
        return column == savedColumn() ? QVariant(formatMoment(shown.savedAt)) : QVariant();
    case StepRole:
        return shown.step;
    case BestRole:
        return shown.isBest;
    default:
        return {};
    }
}

QVariant CheckpointModel::header(int column, int role) const
{
    const int metric = column - FirstMetric;
    if (role != Qt::DisplayRole) {
        return {};
    }
    if (column == Mark) {
        return QString();
    }
    if (column == Step) {
        return tr("Step");
    }
    if (metric < m_metrics.size()) {
        return metricName(m_metrics.at(metric));
    }
    switch (metric - static_cast<int>(m_metrics.size())) {
    case Size:
        return tr("Size");
    case Saved:
        return tr("Saved");
    default:
        return tr("Kept because");
    }
}

} // namespace cannery::ui
