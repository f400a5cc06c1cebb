// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/runs/run_snapshot.h"

#include <QHash>
#include <QSet>
#include <QString>

namespace cannery::ui {

class SeriesStore;

/// Keeps a SeriesStore in step with a project: it knows every run, and loads the points of those
/// that are shown. GUI thread.
class RunWatchList
{
public:
    /// The store outlives this.
    explicit RunWatchList(SeriesStore& series) : m_series(&series) {}

    void setRuns(const QList<RunRow>& runs);
    /// Replaces the runs that `who` shows.
    void watch(const QString& who, const QSet<QString>& runs);
    /// Another project: forgets every run; the pages' requests are kept.
    void clear();

private:
    void apply(const QString& run) const;

    SeriesStore* m_series;
    QHash<QString, QString> m_folders; ///< the folders of the runs that the store knows
    QHash<QString, double> m_stepsPerEpoch;
    QHash<QString, QSet<QString>> m_watched; ///< by watcher
};

} // namespace cannery::ui
