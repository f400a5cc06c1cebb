#pragma once

#include <QString>
#include <QStringList>

namespace cannery::ui {

/// What a page would run: arguments of the `cannery` program. Show Command shows display().
struct CommandLine
{
    QStringList arguments; ///< without the program
    QString folder;        ///< working folder

    /// "cannery train titanic.cannery --set 'a=b'", quoted for a shell.
    QString display() const;
    bool operator==(const CommandLine&) const = default;
};

} // namespace cannery::ui
