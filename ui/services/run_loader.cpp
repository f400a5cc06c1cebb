// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/run_loader.h"

#include "ui/services/folder_watcher.h"

#include <QMutexLocker>
#include <QThread>
#include <QThreadPool>

#include <algorithm>
#include <utility>

namespace cannery::ui {

namespace {

/// Points of one piece of work, and so at most of one message.
constexpr std::size_t kPiece = 65536;
/// What is looked through of each file for the tags of an unwatched run.
constexpr std::uint64_t kTagBytes = std::uint64_t{1} << 20U;
/// Less is as quickly decoded as it is read from a cache.
constexpr std::uint64_t kWorthSaving = std::uint64_t{64} << 10U;

constexpr int kWatchedPriority = 1;

} // namespace

struct RunLoader::Folder
{
    QString key;
    std::string path;
    std::unordered_map<std::string, std::uint32_t> seriesByTag; ///< told so far, by name
    bool isListed = false; ///< its tags were told, as far as an unwatched run's are

    // While the run is watched:
    std::unique_ptr<EventTailer> tailer;
    std::unique_ptr<SeriesCache> cache;
    std::vector<SeriesWriter> writers; ///< by number of the tag
    std::vector<std::uint32_t> series; ///< by number of the tag, or kNone
    std::vector<std::uint32_t> dirty;  ///< numbers of tags with points that were not told
    PointOrigin origin;
    std::uint64_t pointsRead = 0;
    std::uint64_t savedBytes = 0;

    void makeRoomForTags()
    {
        writers.resize(tailer->tags().size());
        series.resize(tailer->tags().size(), storage::ScalarTags::kNone);
    }

    /// Whether the disk has lost columns that were written to it.
    bool hasDamage() const
    {
        return storage::GuardedMapping::isAnyDamaged() &&
               std::any_of(writers.begin(), writers.end(), [](const SeriesWriter& writer) {
                   return writer.block() && writer.block()->isDamaged();
               });
    }
};

void RunNews::merge(RunNews later)
{
    if (later.isReset) {
        *this = std::move(later);
        return;
    }
    newSeries.insert(newSeries.end(), std::make_move_iterator(later.newSeries.begin()),
                     std::make_move_iterator(later.newSeries.end()));
    for (auto& [series, update] : later.updates) {
        const auto known = updates.find(series);
        if (known == updates.end()) {
            updates.emplace(series, std::move(update));
        } else {
            known->second.merge(std::move(update));
        }
    }
    loadedFraction = later.loadedFraction;
    problem = std::move(later.problem);
}

RunLoader::RunLoader(Options options)
    : m_options(std::move(options)), m_predecessor(m_options.predecessor),
      m_unpublished(std::make_unique<RunNews>())
{}

RunLoader::~RunLoader() = default;

void RunLoader::wake()
{
    const QMutexLocker lock(&m_mutex);
    m_isWanted = true;
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

/// One piece of work; others of the pool get their turn after it.
void RunLoader::work()
{
    const bool more = step();
    const QMutexLocker lock(&m_mutex);
    if (m_isClosed || (!more && !m_isWanted)) {
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
    const bool looks = std::exchange(m_isWanted, false);
    lock.unlock();
    if (m_predecessor && !m_predecessor->isClosed()) {
        QThread::yieldCurrentThread();
        lock.relock();
        m_isWanted = m_isWanted || looks;
        return true;
    }
    m_predecessor.reset();
    if (isClosing || generation != m_seenGeneration) {
        forget(); // whoever asked no longer has what was told
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
    if (looks) {
        findFolders();
    }
    bool more = false;
    for (const std::unique_ptr<Folder>& folder : m_folders) {
        if (!isWatched) {
            listTags(*folder);
        } else if (!advance(*folder, looks, more)) {
            startAnew();
            more = true;
            break;
        }
    }
    publish(generation);
    return more;
}

/// The folders of the run, and a watch on each that has or may get event files.
void RunLoader::findFolders()
{
    const QStringList watchable = watchableFoldersOfRun(m_options.folder);
    bool isEachWatched = !watchable.isEmpty();
    for (const QString& path : watchable) {
        if (!m_watchedPaths.contains(path) || !m_options.watcher->isWatching(path)) {
            m_watchedPaths.removeOne(path);
            m_watchedPaths.append(path);
            m_isSureOfWatches = m_options.watcher->add(path) && m_isSureOfWatches;
        }
    }
    if (watchable.isEmpty()) {
        // It may come back as another folder, which is to be watched anew.
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
    }
    for (const EventFolder& found : eventFoldersOfRun(m_options.folder)) {
        const std::string path = found.path.toStdString();
        const auto known =
            std::find_if(m_folders.begin(), m_folders.end(),
                         [&](const auto& folder) { return folder->key == found.key; });
        if (known == m_folders.end()) {
            m_folders.push_back(std::make_unique<Folder>(Folder{.key = found.key, .path = path}));
        } else if ((*known)->path != path) {
            startAnew();
            m_folders.push_back(std::make_unique<Folder>(Folder{.key = found.key, .path = path}));
        }
    }
}

/// Tells the tags of a folder that is not watched.
void RunLoader::listTags(Folder& folder)
{
    if (folder.isListed) {
        return;
    }
    std::vector<std::string> tags = SeriesCache::tagsOf(folder.path);
    if (tags.empty()) {
        EventTailer tailer(folder.path);
        tailer.setBytesPerFile(kTagBytes);
        std::vector<bool> hasPoints;
        tailer.look();
        for (m_points.clear(); tailer.read(m_points, kPiece); m_points.clear()) {
            hasPoints.resize(tailer.tags().size());
            for (const storage::ScalarPoint& point : m_points) {
                if (point.tag != storage::ScalarPoint::kSessionStart) {
                    hasPoints[point.tag] = true;
                }
            }
        }
        addBytesRead(tailer.bytesRead());
        for (std::uint32_t tag = 0; tag < hasPoints.size(); ++tag) {
            if (hasPoints[tag]) {
                tags.push_back(tailer.tags().name(tag));
            }
        }
    }
    for (const std::string& tag : tags) {
        announce(folder, tag);
    }
    folder.isListed = !tags.empty();
}

/// Goes on with a watched folder by one piece. False when its files are no longer what was read.
bool RunLoader::advance(Folder& folder, bool looks, bool& more)
{
    if (!folder.tailer) {
        open(folder);
    } else if (folder.hasDamage() ||
               (looks && folder.tailer->look() == EventTailer::Look::Replaced)) {
        return false;
    }
    const std::uint64_t before = folder.tailer->bytesRead();
    m_points.clear();
    const std::optional<std::uint32_t> file = folder.tailer->read(m_points, kPiece);
    addBytesRead(folder.tailer->bytesRead() - before);
    if (file) {
        takePoints(folder, *file);
        more = true;
    } else {
        save(folder, false);
    }
    tellPoints(folder);
    return true;
}

void RunLoader::open(Folder& folder)
{
    folder.cache = std::make_unique<SeriesCache>(folder.path);
    folder.tailer = std::make_unique<EventTailer>(folder.path);
    std::optional<SeriesCache::Content> content = folder.cache->load();
    if (!content) {
        folder.tailer->look();
        return;
    }
    folder.tailer->restore(std::move(content->files), std::move(content->tags));
    if (folder.tailer->look() == EventTailer::Look::Replaced) {
        folder.cache->clear();
        folder.tailer = std::make_unique<EventTailer>(folder.path);
        folder.tailer->look();
        return;
    }
    folder.origin.session = content->session;
    folder.origin.sessionFile = content->sessionFile;
    folder.makeRoomForTags();
    for (CachedSeries& row : content->series) {
        folder.pointsRead += static_cast<std::uint64_t>(row.state.count);
        folder.writers[row.tag] = SeriesWriter(std::move(row.state), std::move(row.block));
        folder.dirty.push_back(row.tag);
    }
    folder.savedBytes = positions(*folder.tailer);
}

void RunLoader::takePoints(Folder& folder, std::uint32_t file)
{
    folder.makeRoomForTags();
    folder.origin.file = file;
    std::uint64_t taken = folder.pointsRead;
    folder.pointsRead += m_points.size();
    // When all is read, if it goes on like this.
    const double expected =
        static_cast<double>(folder.pointsRead) * static_cast<double>(folder.tailer->totalBytes()) /
        static_cast<double>(std::max(positions(*folder.tailer), std::uint64_t{1}));
    for (const storage::ScalarPoint& point : m_points) {
        ++taken;
        if (point.tag == storage::ScalarPoint::kSessionStart) {
            ++folder.origin.session;
            folder.origin.sessionFile = file;
            continue;
        }
        SeriesWriter& writer = folder.writers[point.tag];
        if (!writer.hasNews()) {
            folder.dirty.push_back(point.tag);
        }
        if (writer.isFull()) {
            const double growth = expected / static_cast<double>(taken);
            writer.moveTo(folder.cache->makeBlock(point.tag, writer.nextCapacity(growth)));
        }
        writer.append(point.step, point.wallTime, point.value, folder.origin);
    }
}

void RunLoader::tellPoints(Folder& folder)
{
    for (const std::uint32_t tag : folder.dirty) {
        std::uint32_t& series = folder.series[tag];
        if (series == storage::ScalarTags::kNone) {
            series = announce(folder, folder.tailer->tags().name(tag));
        }
        m_unpublished->updates.emplace(series, folder.writers[tag].takeUpdate());
    }
    folder.dirty.clear();
}

/// The number of a series, told when it is new.
std::uint32_t RunLoader::announce(Folder& folder, const std::string& tag)
{
    const auto [row, isNew] = folder.seriesByTag.emplace(tag, m_seriesCount);
    if (isNew) {
        ++m_seriesCount;
        m_unpublished->newSeries.push_back(
            {m_options.run, folder.key, QString::fromStdString(tag)});
    }
    return row->second;
}

std::uint64_t RunLoader::positions(const EventTailer& tailer)
{
    std::uint64_t bytes = 0;
    for (const EventFileState& file : tailer.files()) {
        bytes += file.position;
    }
    return bytes;
}

/// Keeps what was read for the next start, when so much has come that it is worth it.
void RunLoader::save(Folder& folder, bool isLast)
{
    const std::uint64_t bytes = positions(*folder.tailer);
    const std::uint64_t news = bytes - std::min(bytes, folder.savedBytes);
    if (news < kWorthSaving || (!isLast && news < folder.savedBytes / 4) || folder.hasDamage()) {
        return;
    }
    std::vector<SeriesCache::Entry> entries;
    for (std::uint32_t tag = 0; tag < folder.writers.size(); ++tag) {
        if (folder.writers[tag].block()) {
            entries.push_back({tag, &folder.writers[tag]});
        }
    }
    folder.savedBytes = bytes;
    folder.cache->save(folder.tailer->files(), folder.tailer->tags(), folder.origin.session,
                       folder.origin.sessionFile, entries);
}

/// Drops all points; the tags stay told.
void RunLoader::forget()
{
    for (const std::unique_ptr<Folder>& folder : m_folders) {
        if (folder->tailer) {
            save(*folder, true);
        }
        *folder = Folder{.key = folder->key,
                         .path = folder->path,
                         .seriesByTag = std::move(folder->seriesByTag),
                         .isListed = true};
    }
}

/// Something that was read is not there any more: everything is read and told again.
void RunLoader::startAnew()
{
    for (const std::unique_ptr<Folder>& folder : m_folders) {
        if (folder->cache) {
            folder->cache->clear();
        }
    }
    m_folders.clear();
    m_seriesCount = 0;
    *m_unpublished = RunNews{.isReset = true};
    const QMutexLocker lock(&m_mutex);
    m_isWanted = true;
}

void RunLoader::addBytesRead(std::uint64_t bytes)
{
    const QMutexLocker lock(&m_mutex);
    m_bytesRead += static_cast<qint64>(bytes);
}

/// Hands over what has become of the run since the last time.
void RunLoader::publish(int generation)
{
    std::uint64_t total = 0;
    std::uint64_t done = 0;
    for (const std::unique_ptr<Folder>& folder : m_folders) {
        if (folder->tailer) {
            total += folder->tailer->totalBytes();
            done += folder->tailer->doneBytes();
            if (m_unpublished->problem.isEmpty()) {
                m_unpublished->problem = QString::fromStdString(folder->tailer->problem());
            }
        }
    }
    m_unpublished->loadedFraction =
        total == 0 ? 1.0 : static_cast<double>(done) / static_cast<double>(total);
    std::unique_ptr<RunNews> news = std::exchange(m_unpublished, std::make_unique<RunNews>());
    {
        const QMutexLocker lock(&m_mutex);
        if (m_isClosing) {
            return;
        }
        if (generation != m_generation) {
            news->updates.clear(); // of a run that is not watched, or no longer was
        }
        if (m_news) {
            m_news->merge(std::move(*news));
        } else {
            m_news = std::move(news);
        }
    }
    m_options.tell();
}

} // namespace cannery::ui
