// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/curves/series.h"

#include <QObject>
#include <QSet>

#include <chrono>
#include <memory>

namespace cannery::ui {

/// The scalars of all watched runs. Event files are read, followed and turned into columns off the
/// GUI thread; whole chunks of points arrive on the GUI thread between frames. Of unwatched runs
/// only the tags are kept. Columns are in mapped cache files, so that at most setResidentLimit()
/// bytes of them are resident. GUI thread only.
class SeriesStore : public QObject
{
    Q_OBJECT

public:
    explicit SeriesStore(QObject* parent = nullptr);
    ~SeriesStore() override;

    /// Bytes of points kept resident; 256 MB by default. Beyond it, the least recently used columns
    /// are evicted; the next access loads them from the cache.
    void setResidentLimit(qint64 bytes);
    /// Bytes of columns that are resident now, at most.
    qint64 residentBytes() const;
    /// The polling interval for folders without notifications; two seconds by default.
    void setPollInterval(std::chrono::milliseconds interval);

    /// Adds a run: `folder` holds its event files, and its subfolders those of its evaluations.
    /// Lists its tags in the background. Folders are watched until it is removed.
    void addRun(const QString& run, const QString& folder);
    void removeRun(const QString& run);
    /// 0: unknown. For the epoch axis.
    void setStepsPerEpoch(const QString& run, double steps);

    /// The points of a watched run are loaded and kept up to date; an unwatched one's may be
    /// dropped.
    void setWatched(const QString& run, bool watched);

    /// While the window is not visible, nothing is read or shown; this is made up for afterwards.
    /// Awake by default.
    void setAwake(bool awake);

    /// The run's engine reports that the file can be read up to this byte. Nothing else reports on
    /// the folders of an engine until engineEnded(); changes in other folders are found by inotify,
    /// or by a slow poll where inotify does not work.
    void fileGrew(const QString& path, qint64 bytes);
    /// The engine has ended, perhaps without last words.
    void engineEnded(const QString& run);

    /// Every known key of a run.
    QList<SeriesKey> keys(const QString& run) const;
    /// Null if nothing was logged under that key or the run is not watched. Valid until
    /// seriesRemoved is emitted.
    const Series* series(const SeriesKey& key) const;

    /// 0 to 1: the share of the run's event files that has been read.
    double loadedFraction(const QString& run) const;
    /// Why a file of the run could not be read to its end; empty if all could.
    QString problem(const QString& run) const;
    /// Bytes read from event files since the start, for tests.
    qint64 bytesRead() const;
    /// How often run folders were scanned since the start, for tests.
    qint64 looks() const;

Q_SIGNALS:
    /// New points; emitted once per event loop turn.
    void changed(const QSet<cannery::ui::SeriesKey>& keys);
    void keysAdded(const QString& run);
    void seriesRemoved(const QString& run);
    void loadingChanged(const QString& run);

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace cannery::ui
