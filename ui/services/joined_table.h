// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QChar>
#include <QString>

#include <atomic>

namespace cannery::ui {

/// Which values of a CSV file are one that somebody forgot to put in quotes.
struct ValueJoin
{
    QString file;
    QChar delimiter;
    int values = 0; ///< of a good line
    int column = 0; ///< 0-based: joined with the next one in lines with one value too many
};

struct JoinedTable
{
    QString file;        ///< the copy, absolute; empty if none was written
    qint64 rows = 0;     ///< that can be read then, without the header
    qint64 joined = 0;   ///< lines in which values were joined
    qint64 stillBad = 0; ///< lines with another number of values
    QString problem;     ///< a sentence if it could not be done
};

/// Reads the file, an uncompressed one in an encoding with the bytes of ASCII, and counts.
JoinedTable countJoins(const ValueJoin& join, const std::atomic_bool& isCancelled);
/// Writes a copy with those values in quotes, otherwise the same to the byte, into a folder as
/// "<name>-joined.csv"; replaces no file. Both block: for worker threads.
JoinedTable writeJoined(const ValueJoin& join, const QString& folder,
                        const std::atomic_bool& isCancelled);

} // namespace cannery::ui
