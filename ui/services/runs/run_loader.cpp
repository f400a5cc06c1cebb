// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/runs/run_loader.h"

#include "ui/services/runs/folder_watcher.h"

#include <QMutexLocker>
#include <QThread>
#include <QThreadPool>

#include <algorithm>
#include <utility>

namespace cannery::ui {

namespace {

constexpr int kWatchedPriority = 1;

} // namespace

RunLoader::RunLoader(Options options)
    : m_options(std::move(options)), m_predecessor(m_options.predecessor), m_writer(m_options.run)
{}

RunLoader::~RunLoader() = default;

void RunLoader::wake()
{
    const QMutexLocker lock(&m_mutex);
    m_order.looks = true;
    startWork();
}

void RunLoader::takeGrown(const QHash<QString, qint64>& bytesByPath)
{
    const QMutexLocker lock(&m_mutex);
    // Sizes only grow, so the later one of a file counts.
    m_order.grown.insert(bytesByPath);
    startWork();
}

void RunLoader::engineEnded()
{
    const QMutexLocker lock(&m_mutex);
    m_order.hasEngineEnded = true;
    startWork();
}

/// The mutex must be locked.
void RunLoader::startWork()
{
    // One unit of work at a time: the members of the pool's thread need no lock.
    if (!m_isActive && !m_isClosed) {
        m_isActive = true;
        m_options.pool->start([self = shared_from_this()] { self->work(); },
                              m_isWatched ? kWatchedPriority : 0);
    }
}

void RunLoader::setWatched(bool watched)
{
    {
        const QMutexLocker lock(&m_mutex);
        if (m_isWatched == watched) {
            return;
        }
        m_isWatched = watched;
        // What a unit of work is reading now is for the state before; publish() drops it.
        ++m_generation;
        if (m_news) {
            m_news->updates.clear();
        }
    }
    wake();
}

void RunLoader::close()
{
    {
        const QMutexLocker lock(&m_mutex);
        m_isClosing = true;
        m_news.reset();
    }
    wake();
}

bool RunLoader::isClosed() const
{
    const QMutexLocker lock(&m_mutex);
    return m_isClosed;
}

bool RunLoader::needsPoll() const
{
    const QMutexLocker lock(&m_mutex);
    return m_needsPoll;
}

std::unique_ptr<RunNews> RunLoader::takeNews()
{
    const QMutexLocker lock(&m_mutex);
    return std::move(m_news);
}

qint64 RunLoader::bytesRead() const
{
    const QMutexLocker lock(&m_mutex);
    return m_bytesRead;
}

qint64 RunLoader::looks() const
{
    const QMutexLocker lock(&m_mutex);
    return m_looks;
}

/// One unit of work; others in the pool get their turn afterwards.
void RunLoader::work()
{
    const bool more = step();
    const QMutexLocker lock(&m_mutex);
    // Under the lock: a request that comes now either is seen here or starts the work anew.
    if (m_isClosed || (!more && m_order.isEmpty())) {
        m_isActive = false;
        return;
    }
    m_options.pool->start([self = shared_from_this()] { self->work(); },
                          m_isWatched ? kWatchedPriority : 0);
}

/// Whether there is more to do at once.
bool RunLoader::step()
{
    QMutexLocker lock(&m_mutex);
    const bool isWatched = m_isWatched;
    const bool isClosing = m_isClosing;
    const int generation = m_generation;
    // It holds the lock of the cache and saves what this loader will read from it. Waiting would
    // block a thread of the pool, so the work is queued again.
    if (m_predecessor && !m_predecessor->isClosed()) {
        lock.unlock();
        QThread::yieldCurrentThread();
        return true;
    }
    const Order order = std::exchange(m_order, {});
    lock.unlock();
    m_predecessor.reset();
    if (isClosing || generation != m_seenGeneration) {
        // The receiver no longer has what was reported.
        for (const std::unique_ptr<FolderSeries>& folder : m_folders) {
            folder->forget();
        }
        m_seenGeneration = generation;
    }
    if (isClosing) {
        for (const QString& path : std::as_const(m_watchedPaths)) {
            m_options.watcher->remove(path);
        }
        lock.relock();
        m_isClosed = true;
        return false;
    }
    const bool looks = needsLook(order);
    if (looks) {
        findFolders();
    }
    bool more = false;
    for (const std::unique_ptr<FolderSeries>& folder : m_folders) {
        if (!isWatched) {
            folder->listTags();
            continue;
        }
        const FolderSeries::Step step = folder->advance(looks);
        more = more || step != FolderSeries::Step::Done;
        if (step == FolderSeries::Step::Replaced) {
            startAnew();
            break;
        }
    }
    publish(generation);
    return more;
}

/// Whether the request needs more than what is known.
bool RunLoader::needsLook(const Order& order)
{
    bool looks = order.looks || order.hasEngineEnded;
    if (order.hasEngineEnded) {
        m_reportedPaths.clear();
    }
    for (auto file = order.grown.cbegin(); file != order.grown.cend(); ++file) {
        // In this order: each file must take its size, even if an earlier one needs a look.
        looks = !takeGrownFile(file.key(), file.value()) || looks;
    }
    return looks;
}

/// False for an unknown file.
bool RunLoader::takeGrownFile(const QString& path, qint64 bytes)
{
    const qsizetype slash = path.lastIndexOf(u'/');
    // A watch on this folder would only cause the same reading again.
    relyOnEngineReports(path.left(slash));
    const std::string folder = path.left(slash).toStdString();
    const auto known = std::find_if(m_folders.begin(), m_folders.end(),
                                    [&](const auto& row) { return row->path() == folder; });
    return known != m_folders.end() &&
           (*known)->grew(path.mid(slash + 1).toStdString(), static_cast<std::uint64_t>(bytes));
}

void RunLoader::relyOnEngineReports(const QString& folder)
{
    if (m_reportedPaths.contains(folder)) {
        return;
    }
    m_reportedPaths.insert(folder);
    if (m_watchedPaths.removeOne(folder)) {
        m_options.watcher->remove(folder);
    }
}

/// The folders of the run, with a watch on each that has or may get event files and that no engine
/// reports on.
void RunLoader::findFolders()
{
    const QStringList watchable = watchableFoldersOfRun(m_options.folder);
    bool isEachWatched = !watchable.isEmpty();
    for (const QString& path : watchable) {
        const bool isWatched = m_watchedPaths.contains(path) && m_options.watcher->isWatching(path);
        // It may have been deleted and made again, which ends a watch.
        if (!isWatched && !m_reportedPaths.contains(path)) {
            m_watchedPaths.removeOne(path);
            m_watchedPaths.append(path);
            m_isSureOfWatches = m_options.watcher->add(path) && m_isSureOfWatches;
        }
    }
    if (watchable.isEmpty()) {
        // It may come back as another folder, which needs a new watch.
        for (const QString& path : std::as_const(m_watchedPaths)) {
            m_options.watcher->remove(path);
        }
        m_watchedPaths.clear();
        m_isSureOfWatches = true;
    }
    isEachWatched = isEachWatched && m_isSureOfWatches;
    {
        const QMutexLocker lock(&m_mutex);
        m_needsPoll = !isEachWatched;
        ++m_looks;
    }
    for (const EventFolder& found : eventFoldersOfRun(m_options.folder)) {
        const auto known =
            std::find_if(m_folders.begin(), m_folders.end(),
                         [&](const auto& folder) { return folder->key() == found.key; });
        const std::string path = found.path.toStdString();
        const bool isMoved = known != m_folders.end() && (*known)->path() != path;
        // Events moved from the run's folder to "train", or back.
        if (isMoved) {
            startAnew();
        }
        if (isMoved || known == m_folders.end()) {
            m_folders.push_back(
                std::make_unique<FolderSeries>(found.key, path, m_writer, m_points));
        }
    }
}

/// Something that was read no longer exists: read and report everything again.
void RunLoader::startAnew()
{
    for (const std::unique_ptr<FolderSeries>& folder : m_folders) {
        folder->dropCache();
    }
    m_folders.clear();
    m_writer.reset();
    const QMutexLocker lock(&m_mutex);
    m_order.looks = true;
}

/// Delivers what has changed in the run since the last time.
void RunLoader::publish(int generation)
{
    std::uint64_t total = 0;
    std::uint64_t done = 0;
    for (const std::unique_ptr<FolderSeries>& folder : m_folders) {
        total += folder->totalBytes();
        done += folder->doneBytes();
        // The first folder with a problem is shown.
        m_writer.noteProblem(folder->problem());
    }
    RunNews news =
        m_writer.take(total == 0 ? 1.0 : static_cast<double>(done) / static_cast<double>(total));
    {
        const QMutexLocker lock(&m_mutex);
        m_bytesRead = static_cast<qint64>(m_writer.bytesRead());
        // close() has dropped what was there; nobody takes what comes later.
        if (m_isClosing) {
            return;
        }
        if (generation != m_generation) {
            news.updates.clear(); // for a run that is no longer watched
        }
        if (m_news) {
            m_news->merge(std::move(news));
        } else {
            m_news = std::make_unique<RunNews>(std::move(news));
        }
    }
    // Without the lock: the store's turn calls takeNews().
    m_options.notify();
}

} // namespace cannery::ui
