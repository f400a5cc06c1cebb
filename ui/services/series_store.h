// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/series.h"

#include <QObject>
#include <QSet>

#include <chrono>
#include <memory>

namespace cannery::ui {

/// The scalars of all runs that someone looks at. Event files are read, tailed and turned into
/// columns off the GUI thread; whole chunks of points arrive on the GUI thread between frames.
/// Runs that nobody watches hold their tags only. Columns live in mapped cache files, so that the
/// process keeps no more than setResidentLimit() of them. GUI thread only.
class SeriesStore : public QObject
{
    Q_OBJECT

public:
    explicit SeriesStore(QObject* parent = nullptr);
    ~SeriesStore() override;

    /// Bytes of points kept resident; 256 MB by default. Beyond it the columns that were not looked
    /// at for longest leave the process; the next look brings them back from the cache.
    void setResidentLimit(qint64 bytes);
    /// Bytes of columns that are resident now, at most.
    qint64 residentBytes() const;
    /// How often folders that nothing tells about are looked at; two seconds by default.
    void setPollInterval(std::chrono::milliseconds interval);

    /// Makes the run known: `folder` holds its event files, and its sub-folders those of its
    /// evaluations. Lists its tags in the background. Watched until removed.
    void addRun(const QString& run, const QString& folder);
    void removeRun(const QString& run);
    /// 0 when unknown. For the epoch axis.
    void setStepsPerEpoch(const QString& run, double steps);

    /// Points of a watched run are loaded and kept up to date; an unwatched one's may be dropped.
    void setWatched(const QString& run, bool watched);

    /// While nobody can see the window nothing is read or shown; what has come is made up for when
    /// somebody can. Awake by default.
    void setAwake(bool awake);

    /// The engine of a run says so: all of the file up to this byte can be read. Of a folder that
    /// an engine tells of nothing else does, until engineEnded(); what is in other folders is found
    /// by inotify, or by a slow poll where that cannot see it.
    void fileGrew(const QString& path, qint64 bytes);
    /// The engine has gone, perhaps without its last words.
    void engineEnded(const QString& run);

    /// Every key known so far of a run.
    QList<SeriesKey> keys(const QString& run) const;
    /// Null when nothing of that key was logged or the run is not watched. Stays valid until the
    /// signal seriesRemoved.
    const Series* series(const SeriesKey& key) const;

    /// 0 … 1: how much of the run's event files has been read.
    double loadedFraction(const QString& run) const;
    /// Why a file of the run could not be read to its end; empty when all could.
    QString problem(const QString& run) const;
    /// Bytes read from event files since the start; tests assert work with it.
    qint64 bytesRead() const;
    /// How often folders of runs were looked through since the start; tests assert work with it.
    qint64 looks() const;

Q_SIGNALS:
    /// New points, told once a turn of the event loop.
    void changed(const QSet<cannery::ui::SeriesKey>& keys);
    void keysAdded(const QString& run);
    void seriesRemoved(const QString& run);
    void loadingChanged(const QString& run);

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace cannery::ui
