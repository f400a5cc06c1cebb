#pragma once

#include "ui/services/engine_service.h"

#include <QList>

namespace cannery::ui {

/// The newest entries of a run's train.log, oldest first; empty when there is none. Blocks: for
/// worker threads.
QList<LogEntry> readRunLog(const QString& run, const QString& folder);

/// Lines "2026-11-21 14:30:00.123 warning: sentence"; a line that is none belongs to the one
/// before.
QList<LogEntry> parseRunLog(const QString& run, const QByteArray& text);

/// What the file had, then what the engine said since; said lines that the file has are left out.
QList<LogEntry> mergedLog(QList<LogEntry> file, const QList<LogEntry>& said);

} // namespace cannery::ui
