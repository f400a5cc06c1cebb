// SPDX-License-Identifier: GPL-3.0-only
#include "ui/frame/drawer/log_model.h"

#include "ui/models/formats.h"
#include "ui/services/runs/run_log.h"
#include "ui/widgets/style/icons.h"
#include "ui/widgets/style/theme.h"

#include <algorithm>
#include <iterator>

namespace cannery::ui {
namespace {

QIcon levelIcon(LogLevel level)
{
    switch (level) {
    case LogLevel::Info:
        return icon("point", tokens().text2);
    case LogLevel::Warning:
        return icon("alert-triangle", tokens().warnIcon);
    case LogLevel::Error:
        return icon("alert-circle", tokens().err);
    }
    return {};
}

QString levelWord(LogLevel level)
{
    return level == LogLevel::Error     ? LogModel::tr("Error")
           : level == LogLevel::Warning ? LogModel::tr("Warning")
                                        : LogModel::tr("Information");
}

} // namespace

void LogModel::append(const QList<LogEntry>& entries)
{
    QList<LogEntry> events;
    std::copy_if(entries.begin(), entries.end(), std::back_inserter(events),
                 [](const LogEntry& entry) { return !isRoutine(entry); });
    if (events.isEmpty()) {
        return;
    }
    if (const qsizetype over = m_entries.size() + events.size() - kLimit; over > 0) {
        // Removes a tenth at once, so that a long log does not move with every line.
        const auto dropped = static_cast<int>(
            std::min<qsizetype>(m_entries.size(), std::max<qsizetype>(over, kLimit / 10)));
        beginRemoveRows({}, 0, dropped - 1);
        m_entries.remove(0, dropped);
        endRemoveRows();
    }
    const auto row = static_cast<int>(m_entries.size());
    beginInsertRows({}, row, row + static_cast<int>(events.size()) - 1);
    m_entries.append(events);
    endInsertRows();
}

void LogModel::setEntries(const QList<LogEntry>& entries)
{
    beginResetModel();
    m_entries = entries;
    endResetModel();
}

QVariant LogModel::cell(int row, int column, int role) const
{
    const LogEntry& entry = m_entries[row];
    switch (role) {
    case Qt::DisplayRole:
        return column == Time  ? formatClock(entry.time)
               : column == Run ? entry.run
                               : entry.sentence;
    case Qt::ToolTipRole:
        return column == Time ? formatMoment(entry.time) : entry.sentence;
    case Qt::DecorationRole:
        return column == Sentence ? QVariant(levelIcon(entry.level)) : QVariant();
    case Qt::ForegroundRole:
        return column == Sentence ? QVariant() : QVariant(tokens().text2);
    case Qt::AccessibleTextRole:
        return column == Sentence ? QVariant(levelWord(entry.level) + ": " + entry.sentence)
                                  : cell(row, column, Qt::DisplayRole);
    case LevelRole:
        return static_cast<int>(entry.level);
    default:
        return {};
    }
}

QVariant LogModel::header(int column, int role) const
{
    if (role != Qt::DisplayRole) {
        return {};
    }
    return column == Time ? tr("Time") : column == Run ? tr("Run") : tr("What");
}

} // namespace cannery::ui
