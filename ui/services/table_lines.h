// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/column_facts.h"
#include <QString>

#include <QStringList>

namespace cannery::ui {

/// A few lines of a text file, for a person who wants to see what is wrong with one of them.
struct TableLines
{
    qint64 first = 1;  ///< number of the first line shown, 1-based
    QStringList lines; ///< shortened to 1,000 letters each; bytes that are not UTF-8 as U+FFFD
    QString header;    ///< the file's first line
    QString problem;   ///< a sentence when nothing could be read
};

/// The line and up to `around` on both sides of it. Regular files only, and not compressed ones.
/// Reads from the beginning, with memory for what is shown. Blocks: for worker threads.
TableLines readTableLines(const QString& file, qint64 line, int around = 3);

/// Of the lines from the first on: columns and cells without types, as nobody has looked at the
/// values yet.
DataFacts firstRowsOf(const TableLines& table);

} // namespace cannery::ui
