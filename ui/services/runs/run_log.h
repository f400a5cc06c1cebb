// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/services/engine_service.h"

#include <QList>

namespace cannery::ui {

/// Whether the curves already show it: lines written every log_step_count_steps.
bool isRoutine(const LogEntry& entry);

/// The kept part of a run's log: its newest lines and, separately, its newest events, so that
/// routine lines never displace events. Of the events, notes and warnings are kept longest. Both
/// are limited.
struct RunLog
{
    QList<LogEntry> lines;  ///< oldest first, at most EngineService::kLogLimit
    QList<LogEntry> events; ///< the lines that are not routine, at most EngineService::kEventLimit

    void append(const QList<LogEntry>& entries);
    bool operator==(const RunLog&) const = default;
};

/// The newest part of a run's train.log; empty if there is none. Blocks: for worker threads.
RunLog readRunLog(const QString& run, const QString& folder);

/// Lines "2026-11-21 14:30:00.123 warning: sentence"; any other line continues the previous one.
QList<LogEntry> parseRunLog(const QString& run, const QByteArray& text);

/// The file's lines, then what the engine has reported since; reported lines that the file has are
/// left out.
QList<LogEntry> mergedLog(QList<LogEntry> file, const QList<LogEntry>& reported);
RunLog mergedLog(const RunLog& file, const RunLog& reported);

} // namespace cannery::ui
