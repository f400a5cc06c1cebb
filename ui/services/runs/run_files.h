// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/problem_row.h"

#include <QList>
#include <QString>

#include <functional>

class QObject;

namespace cannery::ui {

/// The content of a run's folder.
struct RunFilesRead
{
    QString experiment;                        ///< the text of the frozen experiment
    QList<ProblemRow> problems;                ///< of that text, found without the data
    QList<std::pair<QString, qint64>> entries; ///< name and bytes; folders first, with -1
};

/// Reads a run's folder on another thread and calls `done` on the GUI thread, unless `receiver` has
/// been destroyed.
void readRunFiles(const QString& folder, QObject* receiver,
                  std::function<void(const RunFilesRead&)> done);

} // namespace cannery::ui
