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
    QString key;  ///< as in SeriesKey::folder: "" for training, "eval", "eval_test", …
    QString path; ///< absolute

    bool operator==(const EventFolder&) const = default;
};

/// A run of any program, found by its event files.
struct EventRun
{
    QString name;   ///< path below the searched root; the root's own name for the root
    QString folder; ///< absolute; for SeriesStore::addRun
    QList<EventFolder> folders;

    bool operator==(const EventRun&) const = default;
};

/// The event folders of one run: the folder itself, and those of its evaluations ("eval", "eval_…",
/// "validation", "val", "test") directly below. If the folder has no event files but its subfolder
/// "train" does, that one is the training (as Keras writes it). Any thread; only reads folders.
QList<EventFolder> eventFoldersOfRun(const QString& runFolder);

/// The existing folders that are, or may become, event folders of a run: itself first. Any thread.
QStringList watchableFoldersOfRun(const QString& runFolder);

/// Every run at or below a root, at any depth, sorted by name: each folder with event files is one,
/// including its evaluations' folders. Follows links, visits each folder once. Stops early, with
/// what was found, if `isCancelled` returns true. Any thread; may take long on a network.
QList<EventRun> listEventRuns(const QString& root, const std::function<bool()>& isCancelled = {});

/// Like listEventRuns(), in the background. Cancel the future to stop.
QFuture<QList<EventRun>> findEventFolders(const QString& root);

} // namespace cannery::ui
