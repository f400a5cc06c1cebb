// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QString>
#include <QStringList>

namespace cannery::ui {

/// Why a table cannot be read, as the engine said it, and how to say it to a person.
struct TableTrouble
{
    QString file;    ///< absolute
    QString errorId; ///< "csv.field_count"
    QString sentence;
    QStringList arguments; ///< of the sentence
    qint64 line = 0;       ///< that cannot be read; 0: it is not one line

    bool operator==(const TableTrouble&) const = default;

    bool isEmpty() const { return errorId.isEmpty(); }
    bool isMissing() const;
    /// Leaving such lines out is a way to go on.
    bool canSkip() const { return line > 0 && !canBeLatin1(); }
    /// Reading the bytes as Latin-1 is one.
    bool canBeLatin1() const;
    /// Another delimiter may be one.
    bool canChangeDelimiter() const;
    /// "Line 418 has 11 fields, 10 expected."; without fields of an experiment, which may not exist
    /// yet.
    QString words() const;
};

/// Of an error of the engine whose working folder was `folder`; empty when it is not about the text
/// of a table.
TableTrouble tableTroubleOf(const QString& errorId, const QString& sentence,
                            const QStringList& arguments, const QString& folder);

/// How many values a line has with a delimiter; quotes keep delimiters together.
int valuesIn(const QString& line, QChar delimiter);
/// The values of a line; enclosing quotes are taken away.
QStringList splitLine(const QString& line, QChar delimiter);
/// The delimiter under which most of the lines have as many values as the first one.
QChar likelyDelimiter(const QStringList& lines);
/// "comma", "tab", …
QString delimiterName(QChar delimiter);

} // namespace cannery::ui
