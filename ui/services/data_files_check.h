// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/problem_row.h"

#include <QByteArray>
#include <QList>
#include <QString>

namespace cannery::ui {

class ExperimentDocument;

/// A file of rows that an experiment names.
struct NamedDataFile
{
    QString path;  ///< as written, relative to the experiment
    QString field; ///< "data.train.csv.files[0]"
    int line = 0;
};

/// GUI thread; reads the document only.
QList<NamedDataFile> dataFilesOf(const ExperimentDocument& document);

/// A problem for each that is not there; patterns ("part-*.csv") are taken on trust. Blocks: for
/// worker threads.
QList<ProblemRow> missingDataFiles(const QList<NamedDataFile>& files, const QString& experiment);

/// How the files lie there now: when two of these differ, somebody changed one. Blocks: for worker
/// threads.
QByteArray dataFilesState(const QList<NamedDataFile>& files, const QString& experiment);

} // namespace cannery::ui
