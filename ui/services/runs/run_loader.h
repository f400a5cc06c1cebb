// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/services/runs/event_folders.h"
#include "ui/services/runs/folder_series.h"
#include "ui/services/runs/run_news.h"

#include <QHash>
#include <QMutex>
#include <QSet>
#include <QString>
#include <QStringList>

#include <functional>
#include <memory>
#include <vector>

QT_FORWARD_DECLARE_CLASS(QThreadPool)

namespace cannery::ui {

class FolderWatcher;

/// Reads the event files of one run, piece by piece on the threads of a pool: only the tags of an
/// unwatched run, every point of a watched one. Functions that any thread may call say so; the rest
/// runs on the pool.
class RunLoader : public std::enable_shared_from_this<RunLoader>
{
public:
    struct Options
    {
        QString run;
        QString folder;
        QThreadPool* pool = nullptr;
        FolderWatcher* watcher = nullptr;
        /// Called on a pool thread when takeNews() has something.
        std::function<void()> notify;
        /// A loader for the same folder that was asked to close: it finishes first.
        std::shared_ptr<RunLoader> predecessor;
    };

    explicit RunLoader(Options options);
    ~RunLoader();

    /// Looks for changes soon. Any thread.
    void wake();
    /// The run's engine reports that these files have reached these sizes: they are read without
    /// looking for others. From now on only the engine reports on their folders, not the watcher,
    /// until engineEnded(). Any thread.
    void takeGrown(const QHash<QString, qint64>& bytesByPath);
    /// Looks once more, and watches all folders again. Any thread.
    void engineEnded();
    /// Any thread. If a run is no longer watched, what was read of it is dropped.
    void setWatched(bool watched);
    /// Saves what should be kept, then does nothing any more. Any thread.
    void close();
    bool isClosed() const;
    /// Whether it needs polling, because nothing else reports changes. Any thread.
    bool needsPoll() const;

    /// Any thread.
    std::unique_ptr<RunNews> takeNews();
    /// Bytes read from event files so far. Any thread.
    qint64 bytesRead() const;
    /// How often the run's folders were scanned so far. Any thread.
    qint64 looks() const;

private:
    /// The requests since the last unit of work.
    struct Order
    {
        bool looks = false;
        bool hasEngineEnded = false;
        QHash<QString, qint64> grown; ///< bytes by path

        bool isEmpty() const { return !looks && !hasEngineEnded && grown.isEmpty(); }
    };

    void startWork();
    void work();
    bool step();
    bool needsLook(const Order& order);
    bool takeGrownFile(const QString& path, qint64 bytes);
    void relyOnEngineReports(const QString& folder);
    void findFolders();
    void startAnew();
    void publish(int generation);

    const Options m_options;

    mutable QMutex m_mutex; ///< guards the members below
    bool m_isActive = false;
    Order m_order;
    bool m_isClosing = false;
    bool m_isClosed = false;
    bool m_isWatched = false;
    int m_generation = 0; ///< counts changes of m_isWatched
    bool m_needsPoll = true;
    std::unique_ptr<RunNews> m_news;
    qint64 m_bytesRead = 0;
    qint64 m_looks = 0;

    // For the pool thread that is working.
    std::shared_ptr<RunLoader> m_predecessor;
    std::vector<std::unique_ptr<FolderSeries>> m_folders;
    QStringList m_watchedPaths;
    QSet<QString> m_reportedPaths; ///< folders that the engine reports on
    bool m_isSureOfWatches = true;
    int m_seenGeneration = 0;
    std::vector<storage::ScalarPoint> m_points;
    RunNewsWriter m_writer;
};

} // namespace cannery::ui
