// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QString>
#include <QStringList>

namespace cannery::ui {

/// A few lines of a text file, to show what is wrong with one of them.
struct TableLines
{
    qint64 first = 1;  ///< the number of the first line, 1-based
    QStringList lines; ///< at most 1,000 characters each; bytes that are not UTF-8 as U+FFFD
    QString header;    ///< the file's first line
    QString problem;   ///< a sentence if nothing could be read
};

/// The line and up to three lines before and after it. Regular, uncompressed files only. Reads
/// from the beginning, with memory only for the result. Blocks: for worker threads.
TableLines readTableLines(const QString& file, qint64 line);

} // namespace cannery::ui
