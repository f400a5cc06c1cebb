// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/runs/series_store.h"

#include "ui/services/runs/folder_watcher.h"
#include "ui/services/runs/run_loader.h"
#include "ui/services/runs/stored_series.h"

#include <QDir>
#include <QElapsedTimer>
#include <QHash>
#include <QThread>
#include <QThreadPool>
#include <QTimer>

#include <algorithm>
#include <atomic>
#include <utility>

namespace cannery::ui {

namespace {

constexpr qint64 kDefaultResidentLimit = 256'000'000;
/// How much of one series is shown at a time, and the time for it per event loop turn.
constexpr qsizetype kPointsAtATime = 65536;
constexpr qint64 kTurnNanoseconds = 4'000'000;
constexpr int kKeysBetweenLooks = 256;
/// Folders with notifications are polled as well, once in so many polls.
constexpr int kPollsOfReported = 15;
constexpr int kMostThreads = 4;
/// A growing file is read this often, so that reading it costs little. Charts are not drawn more
/// often either.
constexpr std::chrono::milliseconds kBetweenLooks{100};

/// The pending reports about a run's files.
struct Waiting
{
    QHash<QString, qint64> grown; ///< sizes in bytes by path, from the engine
    bool isTouched = false;       ///< from the watcher: something in a folder
};

/// A run, as far as the GUI thread has it.
struct RunEntry
{
    QString folder;
    std::shared_ptr<RunLoader> loader;
    bool isWatched = false;
    double stepsPerEpoch = 0;
    double loadedFraction = 0;
    QString problem;

    QList<SeriesKey> keys;
    QHash<SeriesKey, std::uint32_t> numbers;
    std::vector<std::unique_ptr<StoredSeries>> series; ///< by series number; null without points

    std::vector<std::unique_ptr<RunNews>> news; ///< not yet taken in
};

} // namespace

class SeriesStore::Private
{
public:
    explicit Private(SeriesStore* owner) : m_owner(owner) {}

    void schedule(bool fromPool);
    void turn();
    bool takeIn(const QString& run, RunEntry& entry, const QElapsedTimer& clock);
    void takeKeys(const QString& run, RunEntry& entry, RunNews& news, const QElapsedTimer& clock);
    bool takePoints(RunEntry& entry, RunNews& news, const QElapsedTimer& clock);
    void dropSeries(const QString& run, RunEntry& entry, bool dropsNews = true);
    void trim();
    void poll();
    template <typename Note>
    void forRunsAbove(const QString& path, const Note& note);
    void wakeWaiting();
    std::shared_ptr<RunLoader> startLoader(const QString& run, const QString& folder);

    SeriesStore* m_owner;
    FolderWatcher m_watcher;
    QTimer m_poll;
    QTimer m_pause;                    ///< runs for a moment after runs were woken
    QHash<QString, Waiting> m_waiting; ///< the runs to wake when it is over
    QThreadPool m_pool;
    Residency m_residency;
    QHash<QString, std::shared_ptr<RunEntry>> m_runs;
    QHash<QString, std::shared_ptr<RunLoader>> m_closing; ///< by folder
    qint64 m_residentLimit = kDefaultResidentLimit;
    qint64 m_bytesReadByClosed = 0;
    int m_polls = 0;
    bool m_isAwake = true;
    std::atomic<bool> m_isTurnPosted = false;
    QSet<SeriesKey> m_changed;
    QSet<QString> m_withNewKeys;
    QSet<QString> m_withNewProgress;
};

/// Records a report for the runs whose folders contain the path, and delivers it at once or when
/// the pause is over.
template <typename Note>
void SeriesStore::Private::forRunsAbove(const QString& path, const Note& note)
{
    for (auto run = m_runs.cbegin(); run != m_runs.cend(); ++run) {
        const QString& folder = run.value()->folder;
        if (path.startsWith(folder) &&
            (path.size() == folder.size() || path[folder.size()] == u'/')) {
            note(run.key());
        }
    }
    if (!m_pause.isActive()) {
        wakeWaiting();
    }
}

SeriesStore::SeriesStore(QObject* parent)
    : QObject(parent), m_private(std::make_unique<Private>(this))
{
    Private& d = *m_private;
    d.m_pool.setMaxThreadCount(std::clamp(QThread::idealThreadCount(), 2, kMostThreads));
    d.m_pool.setThreadPriority(QThread::LowPriority);
    d.m_pool.start([] { SeriesCache::prune(); });
    connect(&d.m_watcher, &FolderWatcher::touched, this, [this](const QString& path) {
        m_private->forRunsAbove(
            path, [&](const QString& run) { m_private->m_waiting[run].isTouched = true; });
    });
    connect(&d.m_poll, &QTimer::timeout, this, [this] { m_private->poll(); });
    d.m_pause.setSingleShot(true);
    connect(&d.m_pause, &QTimer::timeout, this, [this] { m_private->wakeWaiting(); });
    setPollInterval(std::chrono::seconds(2));
}

SeriesStore::~SeriesStore()
{
    for (const std::shared_ptr<RunEntry>& entry : std::as_const(m_private->m_runs)) {
        entry->loader->close();
    }
    m_private->m_pool.waitForDone();
}

void SeriesStore::setResidentLimit(qint64 bytes)
{
    m_private->m_residentLimit = bytes;
    m_private->trim();
}

qint64 SeriesStore::residentBytes() const
{
    return m_private->m_residency.bytes;
}

void SeriesStore::setPollInterval(std::chrono::milliseconds interval)
{
    m_private->m_poll.start(interval);
}

std::shared_ptr<RunLoader> SeriesStore::Private::startLoader(const QString& run,
                                                             const QString& folder)
{
    return std::make_shared<RunLoader>(RunLoader::Options{.run = run,
                                                          .folder = folder,
                                                          .pool = &m_pool,
                                                          .watcher = &m_watcher,
                                                          .notify = [this] { schedule(true); },
                                                          .predecessor = m_closing.take(folder)});
}

void SeriesStore::addRun(const QString& run, const QString& folder)
{
    const QString path = QDir::cleanPath(QDir(folder).absolutePath());
    if (const auto known = m_private->m_runs.constFind(run);
        known != m_private->m_runs.constEnd()) {
        if ((*known)->folder == path) {
            return;
        }
        removeRun(run);
    }
    auto entry = std::make_shared<RunEntry>();
    entry->folder = path;
    entry->loader = m_private->startLoader(run, path);
    m_private->m_runs.insert(run, entry);
    // Not yet: if it is watched in the same turn of the event loop, it is read once, not its tags
    // first.
    QMetaObject::invokeMethod(
        this, [loader = entry->loader] { loader->wake(); }, Qt::QueuedConnection);
}

void SeriesStore::removeRun(const QString& run)
{
    const std::shared_ptr<RunEntry> entry = m_private->m_runs.value(run);
    if (!entry) {
        return;
    }
    m_private->dropSeries(run, *entry);
    m_private->m_runs.remove(run);
    m_private->m_bytesReadByClosed += entry->loader->bytesRead();
    entry->loader->close();
    m_private->m_closing.removeIf([](auto row) { return row.value()->isClosed(); });
    m_private->m_closing.insert(entry->folder, entry->loader);
}

void SeriesStore::setStepsPerEpoch(const QString& run, double steps)
{
    const std::shared_ptr<RunEntry> entry = m_private->m_runs.value(run);
    if (!entry || entry->stepsPerEpoch == steps) {
        return;
    }
    entry->stepsPerEpoch = steps;
    for (const std::unique_ptr<StoredSeries>& series : entry->series) {
        if (series) {
            series->setStepsPerEpoch(steps);
            m_private->m_changed.insert(series->key());
        }
    }
    m_private->schedule(false);
}

void SeriesStore::setWatched(const QString& run, bool watched)
{
    const std::shared_ptr<RunEntry> entry = m_private->m_runs.value(run);
    if (!entry || entry->isWatched == watched) {
        return;
    }
    entry->isWatched = watched;
    entry->loadedFraction = 0;
    entry->loader->setWatched(watched);
    if (!watched) {
        m_private->dropSeries(run, *entry);
    }
}

void SeriesStore::setAwake(bool awake)
{
    m_private->m_watcher.setAwake(awake);
    if (std::exchange(m_private->m_isAwake, awake) || !awake) {
        return;
    }
    m_private->wakeWaiting();
    m_private->poll();
}

void SeriesStore::fileGrew(const QString& path, qint64 bytes)
{
    const QString file = QDir::cleanPath(path);
    m_private->forRunsAbove(
        file, [&](const QString& run) { m_private->m_waiting[run].grown.insert(file, bytes); });
}

void SeriesStore::engineEnded(const QString& run)
{
    if (const std::shared_ptr<RunEntry> entry = m_private->m_runs.value(run)) {
        entry->loader->engineEnded();
    }
}

QList<SeriesKey> SeriesStore::keys(const QString& run) const
{
    const std::shared_ptr<RunEntry> entry = m_private->m_runs.value(run);
    return entry ? entry->keys : QList<SeriesKey>();
}

const Series* SeriesStore::series(const SeriesKey& key) const
{
    const auto entry = m_private->m_runs.constFind(key.run);
    if (entry == m_private->m_runs.constEnd()) {
        return nullptr;
    }
    const auto number = (*entry)->numbers.constFind(key);
    if (number == (*entry)->numbers.constEnd() || *number >= (*entry)->series.size()) {
        return nullptr;
    }
    return (*entry)->series[*number].get();
}

double SeriesStore::loadedFraction(const QString& run) const
{
    const std::shared_ptr<RunEntry> entry = m_private->m_runs.value(run);
    return entry ? entry->loadedFraction : 0;
}

QString SeriesStore::problem(const QString& run) const
{
    const std::shared_ptr<RunEntry> entry = m_private->m_runs.value(run);
    return entry ? entry->problem : QString();
}

qint64 SeriesStore::looks() const
{
    qint64 looks = 0;
    for (const std::shared_ptr<RunEntry>& entry : std::as_const(m_private->m_runs)) {
        looks += entry->loader->looks();
    }
    return looks;
}

qint64 SeriesStore::bytesRead() const
{
    qint64 bytes = m_private->m_bytesReadByClosed;
    for (const std::shared_ptr<RunEntry>& entry : std::as_const(m_private->m_runs)) {
        bytes += entry->loader->bytesRead();
    }
    return bytes;
}

/// Requests one turn: at once if called by the pool; after the waiting events if a turn ran out of
/// time.
void SeriesStore::Private::schedule(bool fromPool)
{
    if (m_isTurnPosted.exchange(true)) {
        return;
    }
    if (fromPool) {
        QMetaObject::invokeMethod(
            m_owner, [this] { turn(); }, Qt::QueuedConnection);
    } else {
        QTimer::singleShot(0, m_owner, [this] { turn(); });
    }
}

/// Takes in the loaders' news for a few milliseconds, then emits signals once.
void SeriesStore::Private::turn()
{
    m_isTurnPosted = false;
    QElapsedTimer clock;
    clock.start();
    bool isLeft = false;
    const QList<QString> names = m_runs.keys();
    for (const QString& run : names) {
        const std::shared_ptr<RunEntry> entry = m_runs.value(run);
        if (!entry) {
            continue; // removed by a receiver of a reset
        }
        if (std::unique_ptr<RunNews> news = entry->loader->takeNews()) {
            entry->news.push_back(std::move(news));
        }
        isLeft = takeIn(run, *entry, clock) || isLeft;
    }
    trim();
    const QSet<QString> withNewKeys = std::exchange(m_withNewKeys, {});
    const QSet<SeriesKey> changed = std::exchange(m_changed, {});
    const QSet<QString> withNewProgress = std::exchange(m_withNewProgress, {});
    if (isLeft) {
        schedule(false);
    }
    for (const QString& run : withNewKeys) {
        Q_EMIT m_owner->keysAdded(run);
    }
    if (!changed.isEmpty()) {
        Q_EMIT m_owner->changed(changed);
    }
    for (const QString& run : withNewProgress) {
        Q_EMIT m_owner->loadingChanged(run);
    }
}

/// True if the time was up before everything was taken in.
bool SeriesStore::Private::takeIn(const QString& run, RunEntry& entry, const QElapsedTimer& clock)
{
    while (!entry.news.empty()) {
        RunNews& news = *entry.news.front();
        if (std::exchange(news.isReset, false)) {
            entry.keys.clear();
            entry.numbers.clear();
            dropSeries(run, entry, false);
        }
        takeKeys(run, entry, news, clock);
        if (!news.newSeries.empty() || takePoints(entry, news, clock)) {
            return true;
        }
        if (entry.loadedFraction != news.loadedFraction || entry.problem != news.problem) {
            entry.loadedFraction = news.loadedFraction;
            entry.problem = news.problem;
            m_withNewProgress.insert(run);
        }
        entry.news.erase(entry.news.begin());
    }
    return false;
}

void SeriesStore::Private::takeKeys(const QString& run, RunEntry& entry, RunNews& news,
                                    const QElapsedTimer& clock)
{
    std::size_t taken = 0;
    for (; taken < news.newSeries.size(); ++taken) {
        if (taken % kKeysBetweenLooks == 0 && clock.nsecsElapsed() > kTurnNanoseconds) {
            break;
        }
        const SeriesKey& key = news.newSeries[taken];
        entry.numbers.insert(key, static_cast<std::uint32_t>(entry.keys.size()));
        entry.keys.append(key);
    }
    if (taken > 0) {
        news.newSeries.erase(news.newSeries.begin(),
                             news.newSeries.begin() + static_cast<std::ptrdiff_t>(taken));
        m_withNewKeys.insert(run);
    }
}

/// True if the time was up before all points were shown.
bool SeriesStore::Private::takePoints(RunEntry& entry, RunNews& news, const QElapsedTimer& clock)
{
    entry.series.resize(static_cast<std::size_t>(entry.keys.size()));
    while (!news.updates.empty()) {
        if (clock.nsecsElapsed() > kTurnNanoseconds) {
            return true;
        }
        const auto update = news.updates.begin();
        std::unique_ptr<StoredSeries>& series = entry.series[update->first];
        if (!series) {
            series = std::make_unique<StoredSeries>(
                entry.keys[static_cast<qsizetype>(update->first)], m_residency);
            series->setStepsPerEpoch(entry.stepsPerEpoch);
        }
        if (update->second.block) {
            series->take(std::move(update->second));
            update->second.block.reset();
        }
        m_changed.insert(series->key());
        if (!series->advance(kPointsAtATime)) {
            news.updates.erase(update);
        }
    }
    return false;
}

void SeriesStore::Private::dropSeries(const QString& run, RunEntry& entry, bool dropsNews)
{
    if (dropsNews) {
        for (const std::unique_ptr<RunNews>& news : entry.news) {
            news->updates.clear();
        }
    }
    m_changed.removeIf([&](const SeriesKey& key) { return key.run == run; });
    Q_EMIT m_owner->seriesRemoved(run);
    entry.series.clear();
}

/// Evicts the least recently used columns.
void SeriesStore::Private::trim()
{
    if (m_residency.bytes <= m_residentLimit) {
        return;
    }
    std::vector<StoredSeries*> resident;
    for (const std::shared_ptr<RunEntry>& entry : std::as_const(m_runs)) {
        for (const std::unique_ptr<StoredSeries>& series : entry->series) {
            if (series && series->residentBytes() > 0) {
                resident.push_back(series.get());
            }
        }
    }
    std::sort(resident.begin(), resident.end(), [](const StoredSeries* a, const StoredSeries* b) {
        return a->lastLook() < b->lastLook();
    });
    // Frees some extra room at once, so that not every turn has to.
    const qint64 goal = m_residentLimit - m_residentLimit / 8;
    for (StoredSeries* series : resident) {
        if (m_residency.bytes <= goal) {
            return;
        }
        series->release();
    }
}

void SeriesStore::Private::poll()
{
    trim();
    if (!m_isAwake) {
        return;
    }
    const bool looksAtAll = ++m_polls % kPollsOfReported == 0;
    for (const std::shared_ptr<RunEntry>& entry : std::as_const(m_runs)) {
        if ((entry->isWatched || entry->keys.isEmpty() || looksAtAll) &&
            (looksAtAll || entry->loader->needsPoll())) {
            entry->loader->wake();
        }
    }
}

void SeriesStore::Private::wakeWaiting()
{
    if (!m_isAwake || m_waiting.isEmpty()) {
        return;
    }
    const QHash<QString, Waiting> waiting = std::exchange(m_waiting, {});
    for (auto run = waiting.cbegin(); run != waiting.cend(); ++run) {
        const std::shared_ptr<RunEntry> entry = m_runs.value(run.key());
        if (entry && !run->grown.isEmpty()) {
            entry->loader->takeGrown(run->grown);
        }
        if (entry && run->isTouched) {
            entry->loader->wake();
        }
    }
    m_pause.start(kBetweenLooks);
}

} // namespace cannery::ui
