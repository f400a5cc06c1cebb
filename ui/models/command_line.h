// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QString>
#include <QStringList>

namespace cannery::ui {

/// A command that a page would run: arguments of the `cannery` program. Show Command shows
/// display().
struct CommandLine
{
    QStringList arguments; ///< without the program
    QString folder;        ///< working folder
    /// The options that this program needs to read the answer ("--json", "--progress", "json"):
    /// passed but not shown, because they do not change what is done.
    QStringList machineArguments;

    bool isEmpty() const { return arguments.isEmpty(); }
    QStringList allArguments() const { return arguments + machineArguments; }
    /// "cannery train titanic.cannery --set 'a=b'", quoted for a shell.
    QString display() const;
    bool operator==(const CommandLine&) const = default;
};

/// One word for a POSIX shell: as it is, or in single quotes.
QString shellQuoted(const QString& word);

} // namespace cannery::ui
