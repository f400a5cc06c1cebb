// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/problem_row.h"

#include <QByteArray>
#include <QList>
#include <QString>

namespace cannery::ui {

class ExperimentDocument;

/// A data file that an experiment names.
struct NamedDataFile
{
    QString path;  ///< as written, relative to the experiment
    QString field; ///< "data.train.csv.files[0]"
    int line = 0;
};

/// GUI thread; reads the document only.
QList<NamedDataFile> dataFilesOf(const ExperimentDocument& document);
/// And what else decides what the rows become: the vocabularies.
QList<NamedDataFile> readFilesOf(const ExperimentDocument& document);

/// A problem for each missing file; patterns ("part-*.csv") are not checked. Blocks: for worker
/// threads.
QList<ProblemRow> missingDataFiles(const QList<NamedDataFile>& files, const QString& experiment);

/// A fingerprint of the files: if it differs, a file has changed. Blocks: for worker threads.
QByteArray dataFilesState(const QList<NamedDataFile>& files, const QString& experiment);

} // namespace cannery::ui
