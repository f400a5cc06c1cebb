// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QString>
#include <QStringList>

namespace cannery::ui {

/// What a path to open turns out to be.
struct ProjectTarget
{
    enum class Kind
    {
        Nothing, ///< `error` says why
        Project,
        EventFolder,
        Table, ///< a file, or a folder of TFRecord files, of which a project can be made
    };
    Kind kind = Kind::Nothing;
    QString folder;          ///< absolute; of a table, the file or folder itself
    QString identity;        ///< the same for every spelling of the folder, links followed
    QString experimentFile;  ///< absolute; empty for a project with runs only
    bool isReadOnly = false; ///< a project whose folder cannot be written
    QString error;
};

/// Detects the kind of a file or a folder: an experiment file, a folder of experiments (the last
/// changed one), a run of a project, an event file, a folder of event files at any depth, a folder
/// of TFRecord files by their names or those of its splits. Any other file may be a table: the
/// engine says what it is. Blocks: for worker threads.
ProjectTarget findTarget(const QString& path);
/// A folder of event files, as the user says. Blocks.
ProjectTarget eventFolderTarget(const QString& folder);

/// A folder as a project with this experiment open, or with runs only if it is empty. Blocks.
ProjectTarget findExperiment(const QString& folder, const QString& experimentFile);

/// The experiment files in a folder, absolute, the last changed one first. Blocks.
QStringList experimentsIn(const QString& folder);

/// A new "<folder>/<name>.cannery": "name", "name-2", "name-3" … Blocks.
QString freshExperimentFile(const QString& folder, const QString& name);

} // namespace cannery::ui
