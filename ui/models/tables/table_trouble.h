// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QString>
#include <QStringList>

namespace cannery::ui {

/// Why a table cannot be read, as reported by the engine, and how to say it to the user.
struct TableTrouble
{
    QString file;    ///< absolute
    QString errorId; ///< "csv.field_count"
    QString sentence;
    QStringList arguments; ///< the sentence's arguments
    qint64 line = 0;       ///< the bad line; 0: it is not about one line

    bool operator==(const TableTrouble&) const = default;

    bool isEmpty() const { return errorId.isEmpty(); }
    bool isMissing() const;
    /// Whether skipping bad lines is a remedy.
    bool canSkip() const;
    /// Whether another character encoding is one.
    bool canChangeEncoding() const;
    /// Whether another delimiter may be one.
    bool canChangeDelimiter() const;
    /// "Line 418 has 11 fields, 10 expected."; without fields of an experiment, which may not exist
    /// yet.
    QString words() const;
};

/// From an error of an engine whose working folder was `folder`; empty if it is not about a table's
/// text.
TableTrouble tableTroubleOf(const QString& errorId, const QString& sentence,
                            const QStringList& arguments, const QString& folder);

/// The number of values in a line with a delimiter; quoted delimiters do not count.
int valuesIn(const QString& line, QChar delimiter);
/// The values of a line, without enclosing quotes.
QStringList splitLine(const QString& line, QChar delimiter);
/// The delimiter with which most of the lines have as many values as the first one.
QChar likelyDelimiter(const QStringList& lines);
/// "comma", "tab", …
QString delimiterName(QChar delimiter);

} // namespace cannery::ui
