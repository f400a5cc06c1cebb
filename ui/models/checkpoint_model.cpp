// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/checkpoint_model.h"

#include "ui/models/formats.h"
#include "ui/models/run_columns.h"

#include <algorithm>

namespace cannery::ui {
namespace {

constexpr qsizetype kMostMetrics = 3;

/// The decision metric first, then the usual ones.
QStringList chosenMetrics(const RunRow& run)
{
    QStringList metrics;
    for (const QString& metric : {run.decisionMetric, QStringLiteral("accuracy"),
                                  QStringLiteral("average_loss"), QStringLiteral("loss")}) {
        if (run.metric(metric) && !metrics.contains(metric) && metrics.size() < kMostMetrics) {
            metrics.append(metric);
        }
    }
    return metrics;
}

} // namespace

CheckpointModel::CheckpointModel(QObject* parent) : QAbstractTableModel(parent) {}

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

int CheckpointModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int CheckpointModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : FirstMetric + static_cast<int>(m_metrics.size()) + TailCount;
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

QVariant CheckpointModel::data(const QModelIndex& index, int role) const
{
    const CheckpointRow* row = checkpoint(index.row());
    if (!row) {
        return {};
    }
    const int saved = FirstMetric + static_cast<int>(m_metrics.size()) + Saved;
    switch (role) {
    case Qt::DisplayRole:
        return text(*row, index.column());
    case Qt::AccessibleTextRole:
        return index.column() == Mark ? (row->isBest ? tr("best") : tr("checkpoint"))
                                      : text(*row, index.column());
    case Qt::ToolTipRole:
        return index.column() == saved ? QVariant(formatMoment(row->savedAt)) : QVariant();
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(Qt::Alignment(
            (index.column() >= Step && index.column() < saved ? Qt::AlignRight : Qt::AlignLeft) |
            Qt::AlignVCenter));
    case StepRole:
        return row->step;
    case BestRole:
        return row->isBest;
    default:
        return {};
    }
}

QVariant CheckpointModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) {
        return {};
    }
    const int metric = section - FirstMetric;
    if (role == Qt::TextAlignmentRole) {
        const int saved = FirstMetric + static_cast<int>(m_metrics.size()) + Saved;
        return QVariant::fromValue(
            Qt::Alignment((section >= Step && section < saved ? Qt::AlignRight : Qt::AlignLeft) |
                          Qt::AlignVCenter));
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    if (section == Mark) {
        return QString();
    }
    if (section == Step) {
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
