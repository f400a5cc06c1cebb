// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/services/engine_service.h"

#include <QList>

namespace cannery::ui {

/// What the curves show already: lines that come every log_step_count_steps.
bool isRoutine(const LogEntry& entry);

/// What is kept of a run's log: its newest lines, and apart from them its newest events, so that
/// no number of routine lines drives out what has happened. Of the events, notes and warnings stay
/// longest. Both have a limit.
struct RunLog
{
    QList<LogEntry> lines;  ///< oldest first, at most EngineService::kLogLimit
    QList<LogEntry> events; ///< those that are not routine, at most EngineService::kEventLimit

    void append(const QList<LogEntry>& entries);
    bool operator==(const RunLog&) const = default;
};

/// The newest of a run's train.log; empty when there is none. Blocks: for worker threads.
RunLog readRunLog(const QString& run, const QString& folder);

/// Lines "2026-11-21 14:30:00.123 warning: sentence"; a line that is none belongs to the one
/// before.
QList<LogEntry> parseRunLog(const QString& run, const QByteArray& text);

/// What the file had, then what the engine said since; said lines that the file has are left out.
QList<LogEntry> mergedLog(QList<LogEntry> file, const QList<LogEntry>& said);
RunLog mergedLog(const RunLog& file, const RunLog& said);

} // namespace cannery::ui
