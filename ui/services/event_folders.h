// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QFuture>
#include <QList>
#include <QString>
#include <QStringList>

#include <functional>

namespace cannery::ui {

/// A folder with event files that belongs to a run.
struct EventFolder
{
    QString key;  ///< what SeriesKey::folder says: "" for training, "eval", "eval_test", …
    QString path; ///< absolute

    bool operator==(const EventFolder&) const = default;
};

/// A run of some program, as its event files tell it.
struct EventRun
{
    QString name;   ///< path below the root that was searched; the root's own name for the root
    QString folder; ///< absolute; what SeriesStore::addRun takes
    QList<EventFolder> folders;

    bool operator==(const EventRun&) const = default;
};

/// The event folders of one run: the folder itself, and those of its evaluations ("eval",
/// "eval_…", "validation", "val", "test") directly below. Where the folder itself has no event
/// files but a folder "train" below has, that one is the training (Keras writes so). Any thread;
/// reads folders only.
QList<EventFolder> eventFoldersOfRun(const QString& runFolder);

/// Folders that exist and are, or may yet become, event folders of a run: itself first. Any thread.
QStringList watchableFoldersOfRun(const QString& runFolder);

/// Every run at or below a root, at any depth, sorted by name: each folder that holds event files
/// is one, with its evaluations' folders in it. Follows links, each folder once. Stops early, with
/// what was found, when `isCancelled` says so. Any thread; may take long on a network.
QList<EventRun> listEventRuns(const QString& root, const std::function<bool()>& isCancelled = {});

/// The same in the background. Cancel the future to stop.
QFuture<QList<EventRun>> findEventFolders(const QString& root);

} // namespace cannery::ui
