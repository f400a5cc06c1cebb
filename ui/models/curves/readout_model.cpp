// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/curves/readout_model.h"

#include "ui/models/csv_cell.h"
#include "ui/models/formats.h"

#include <QDateTime>

#include <cmath>

namespace cannery::ui {
namespace {

QDateTime moment(double seconds)
{
    return QDateTime::fromMSecsSinceEpoch(std::llround(seconds * 1000));
}

} // namespace

ReadoutModel::ReadoutModel(QObject* parent) : TableModel(parent) {}

void ReadoutModel::setEntries(const QList<ReadoutEntry>& entries, const QString& tag,
                              bool higherIsBetter)
{
    m_tag = tag;
    m_higherIsBetter = higherIsBetter;
    // While the cursor moves the runs stay the same: no reset, so that sorting and selection are
    // kept.
    bool isSameRuns = entries.size() == m_entries.size();
    for (qsizetype i = 0; isSameRuns && i < entries.size(); ++i) {
        isSameRuns = entries.at(i).run == m_entries.at(i).run &&
                     entries.at(i).source == m_entries.at(i).source;
    }
    if (!isSameRuns) {
        beginResetModel();
        m_entries = entries;
        endResetModel();
        return;
    }
    if (entries == m_entries || entries.isEmpty()) {
        return;
    }
    m_entries = entries;
    Q_EMIT dataChanged(index(static_cast<int>(m_pinned.size()), 0),
                       index(rowCount() - 1, ColumnCount - 1));
}

void ReadoutModel::pin()
{
    if (m_entries.isEmpty()) {
        return;
    }
    beginResetModel();
    // The newest pinned rows come first, above those of the cursor, which keep moving.
    m_pinned = m_entries + m_pinned;
    endResetModel();
}

void ReadoutModel::unpin()
{
    if (m_pinned.isEmpty()) {
        return;
    }
    beginResetModel();
    m_pinned.clear();
    endResetModel();
}

const ReadoutEntry& ReadoutModel::entry(int row) const
{
    return row < m_pinned.size() ? m_pinned.at(row) : m_entries.at(row - m_pinned.size());
}

std::optional<double> ReadoutModel::delta(int row) const
{
    // Pinned rows are of other steps, so they are compared among themselves.
    const QList<ReadoutEntry>& among = row < m_pinned.size() ? m_pinned : m_entries;
    std::optional<double> best;
    for (const ReadoutEntry& other : among) {
        // Training and evaluation values are not comparable.
        if (!std::isfinite(other.value) || other.source != entry(row).source) {
            continue;
        }
        const double value = other.value;
        if (!best || (m_higherIsBetter ? value > *best : value < *best)) {
            best = value;
        }
    }
    if (!best || !std::isfinite(entry(row).value)) {
        return std::nullopt;
    }
    return entry(row).value - *best;
}

QString ReadoutModel::displayText(int row, int column) const
{
    const ReadoutEntry& shown = entry(row);
    switch (column) {
    case Run:
        return shown.label;
    case Source:
        return shown.source;
    case Step:
        return formatCount(shown.step);
    case Value:
        // A float has seven significant digits; more would be noise.
        return formatNumber(static_cast<double>(shown.value), 7);
    case Smoothed:
        return shown.smoothed ? formatNumber(*shown.smoothed, 6) : QStringLiteral("–");
    case DeltaToBest: {
        const std::optional<double> difference = delta(row);
        return difference ? formatNumber(*difference, 2) : QStringLiteral("–");
    }
    case WallClock:
        return formatClock(moment(shown.wallTime));
    case SinceStart:
        return formatDuration(shown.sinceStart);
    default:
        return {};
    }
}

QString ReadoutModel::exactText(int row, int column) const
{
    // What is copied or exported keeps every digit and a time with its zone; the table is for
    // reading.
    const ReadoutEntry& shown = entry(row);
    switch (column) {
    case Step:
        return QString::number(shown.step);
    case Value:
        return formatExact(shown.value);
    case Smoothed:
        return shown.smoothed ? formatExact(*shown.smoothed) : QString();
    case DeltaToBest: {
        const std::optional<double> difference = delta(row);
        return difference ? formatExact(*difference) : QString();
    }
    case WallClock:
        return moment(shown.wallTime).toString(Qt::ISODateWithMs);
    case SinceStart:
        return QString::number(shown.sinceStart, 'g', 12);
    default:
        return displayText(row, column);
    }
}

QVariant ReadoutModel::sortValue(int row, int column) const
{
    const ReadoutEntry& shown = entry(row);
    switch (column) {
    case Swatch:
        return shown.colourSlot;
    case Step:
        return shown.step;
    case Value:
        return shown.value;
    case Smoothed:
        return shown.smoothed ? QVariant(*shown.smoothed) : QVariant();
    case DeltaToBest:
        // By size: nearest to the best first, whichever direction is better.
        return delta(row) ? QVariant(std::abs(*delta(row))) : QVariant();
    case WallClock:
        return shown.wallTime;
    case SinceStart:
        return shown.sinceStart;
    default:
        return displayText(row, column);
    }
}

QVariant ReadoutModel::cell(int row, int column, int role) const
{
    switch (role) {
    case Qt::DisplayRole:
        return displayText(row, column);
    case Qt::ToolTipRole:
        return column == Swatch ? QString() : exactText(row, column);
    case Qt::AccessibleTextRole:
        return column == Swatch ? tr("colour %1").arg(entry(row).colourSlot + 1)
                                : displayText(row, column);
    case SortRole:
        return sortValue(row, column);
    case SlotRole:
        return entry(row).colourSlot;
    case PinnedRole:
        return row < m_pinned.size();
    case RunRole:
        return entry(row).run;
    default:
        return {};
    }
}

QVariant ReadoutModel::header(int column, int role) const
{
    if (role != Qt::DisplayRole) {
        return {};
    }
    switch (column) {
    case Run:
        return tr("Run");
    case Source:
        return tr("Of");
    case Step:
        return tr("Step");
    case Value:
        return tr("Value");
    case Smoothed:
        return tr("Smoothed");
    case DeltaToBest:
        return tr("Δ to best");
    case WallClock:
        return tr("Wall clock");
    case SinceStart:
        return tr("Since start");
    default:
        return QString();
    }
}

QString ReadoutModel::asTabSeparated(const QList<int>& rows) const
{
    QList<int> wanted = rows;
    for (int row = 0; rows.isEmpty() && row < rowCount(); ++row) {
        wanted.append(row);
    }
    QStringList lines;
    QStringList cells;
    // Not the swatch, which has no text.
    for (int column = Run; column < ColumnCount; ++column) {
        cells.append(headerData(column, Qt::Horizontal, Qt::DisplayRole).toString());
    }
    lines.append(cells.join('\t'));
    for (const int row : std::as_const(wanted)) {
        cells.clear();
        for (int column = Run; column < ColumnCount; ++column) {
            cells.append(exactText(row, column));
        }
        lines.append(cells.join('\t'));
    }
    return lines.join('\n') + '\n';
}

QString ReadoutModel::asCsv() const
{
    // For programs, so neither translated nor titled as the table is.
    QStringList lines{QStringLiteral(
        "tag,run,source,step,value,smoothed,delta_to_best,wall_clock,seconds_since_start")};
    for (int row = 0; row < rowCount(); ++row) {
        QStringList cells{csvCell(m_tag)};
        for (int column = Run; column < ColumnCount; ++column) {
            cells.append(csvCell(exactText(row, column)));
        }
        lines.append(cells.join(','));
    }
    return lines.join('\n') + '\n';
}

} // namespace cannery::ui
