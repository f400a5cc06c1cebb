// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QString>

namespace cannery::ui {

/// A problem that `check` found, or something else that needs attention.
struct ProblemRow
{
    enum class Level
    {
        Note, ///< nothing to decide
        Warning,
        Error,
    };
    Level level = Level::Error;
    QString id; ///< stable
    QString file;
    int line = 0; ///< 1-based; 0: not known
    int column = 0;
    QString path; ///< field
    QString sentence;
    QString page;   ///< "data", "features", "model": where it can be fixed
    QString fix;    ///< what applyCure() would do: "Reset Dropout"; empty if there is
                    ///< nothing
    QString place;  ///< what it is about ("deck"), if that is no place in the file
    QString target; ///< what the page reveals; the field if empty

    bool operator==(const ProblemRow&) const = default;
};

} // namespace cannery::ui
