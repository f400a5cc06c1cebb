// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QString>
#include <QStringList>

namespace cannery::ui {

/// What a page would run: arguments of the `cannery` program. Show Command shows display().
struct CommandLine
{
    QStringList arguments; ///< without the program
    QString folder;        ///< working folder
    /// How this program wants the answer ("--json", "--progress", "json"): given, never shown,
    /// since they change nothing about what is done.
    QStringList machineArguments;

    bool isEmpty() const { return arguments.isEmpty(); }
    QStringList allArguments() const { return arguments + machineArguments; }
    /// "cannery train titanic.cannery --set 'a=b'", quoted for a shell.
    QString display() const;
    bool operator==(const CommandLine&) const = default;
};

/// One word as a POSIX shell reads it back: as it is, or in single quotes.
QString shellQuoted(const QString& word);

} // namespace cannery::ui
