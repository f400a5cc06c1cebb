// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/services/event_folders.h"
#include "ui/services/series_cache.h"
#include "ui/services/series_writer.h"

#include <QMutex>
#include <QString>

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

QT_FORWARD_DECLARE_CLASS(QThreadPool)

namespace cannery::ui {

class FolderWatcher;

/// What has become of a run since it was last asked for.
struct RunNews
{
    bool isReset = false;             ///< forget everything that was told before
    std::vector<SeriesKey> newSeries; ///< numbered on from those told before
    std::unordered_map<std::uint32_t, SeriesUpdate> updates; ///< by the number of the series
    double loadedFraction = 0;
    QString problem;

    void merge(RunNews later);
};

/// Reads the event files of one run, piece by piece on the threads of a pool: the tags of a run
/// that nobody watches, and every point of one that somebody does. The functions that any thread
/// may call say so; the rest belongs to the pool.
class RunLoader : public std::enable_shared_from_this<RunLoader>
{
public:
    struct Options
    {
        QString run;
        QString folder;
        QThreadPool* pool = nullptr;
        FolderWatcher* watcher = nullptr;
        /// Called on a thread of the pool when takeNews() has something.
        std::function<void()> tell;
        /// One that reads the same folder and was told to close: it goes first.
        std::shared_ptr<RunLoader> predecessor;
    };

    explicit RunLoader(Options options);
    ~RunLoader();

    /// Looks for news soon. Any thread.
    void wake();
    /// Any thread. What was read of a run that is no longer watched is dropped.
    void setWatched(bool watched);
    /// Saves what should be kept, then does nothing any more. Any thread.
    void close();
    bool isClosed() const;
    /// Whether it is to be woken from time to time, as nothing else tells of changes. Any thread.
    bool needsPoll() const;

    /// Any thread.
    std::unique_ptr<RunNews> takeNews();
    /// Bytes read from event files so far. Any thread.
    qint64 bytesRead() const;

private:
    struct Folder;

    void work();
    bool step();
    void findFolders();
    void listTags(Folder& folder);
    bool advance(Folder& folder, bool looks, bool& more);
    void open(Folder& folder);
    void takePoints(Folder& folder, std::uint32_t file);
    void tellPoints(Folder& folder);
    std::uint32_t announce(Folder& folder, const std::string& tag);
    static std::uint64_t positions(const EventTailer& tailer);
    void save(Folder& folder, bool isLast);
    void forget();
    void startAnew();
    void addBytesRead(std::uint64_t bytes);
    void publish(int generation);

    const Options m_options;

    mutable QMutex m_mutex; ///< guards the following
    bool m_isActive = false;
    bool m_isWanted = false;
    bool m_isClosing = false;
    bool m_isClosed = false;
    bool m_isWatched = false;
    int m_generation = 0; ///< counts the changes of m_isWatched
    bool m_needsPoll = true;
    std::unique_ptr<RunNews> m_news;
    qint64 m_bytesRead = 0;

    // Of the pool's thread that works.
    std::shared_ptr<RunLoader> m_predecessor;
    std::vector<std::unique_ptr<Folder>> m_folders;
    QStringList m_watchedPaths;
    bool m_isSureOfWatches = true;
    int m_seenGeneration = 0;
    std::uint32_t m_seriesCount = 0;
    std::vector<storage::ScalarPoint> m_points;
    std::unique_ptr<RunNews> m_unpublished;
};

} // namespace cannery::ui
