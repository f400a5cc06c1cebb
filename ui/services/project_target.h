// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QString>
#include <QStringList>

namespace cannery::ui {

/// What a path that somebody opens turns out to be.
struct ProjectTarget
{
    enum class Kind
    {
        Nothing, ///< `error` says why
        Project,
        EventFolder,
    };
    Kind kind = Kind::Nothing;
    QString folder;          ///< absolute
    QString identity;        ///< the same for every spelling of the folder, links followed
    QString experimentFile;  ///< absolute; empty: a project that has runs only
    bool isReadOnly = false; ///< a project whose folder cannot be written
    QString error;
};

/// Looks at a file or a folder: an experiment file, a folder of some (the one changed last), a run
/// of a project, an event file, a folder of event files at any depth. Blocks: for worker threads.
ProjectTarget findTarget(const QString& path);
/// The folder of event files that somebody said it is. Blocks.
ProjectTarget eventFolderTarget(const QString& folder);

/// Experiment files of a folder, absolute, the one changed last first. Blocks.
QStringList experimentsIn(const QString& folder);

/// "<folder>/<name>.cannery" that does not exist yet: "name", "name-2", "name-3" … Blocks.
QString freshExperimentFile(const QString& folder, const QString& name);

} // namespace cannery::ui
