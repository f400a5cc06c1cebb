// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/runs/series_cache.h"

#include "core/base/fingerprint.h"
#include "storage/io/atomic_write.h"
#include "storage/io/files.h"
#include "ui/services/runs/series_index.h"

#include <QStandardPaths>

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>

namespace cannery::ui {

namespace {

/// Smaller series stay in memory and are stored in the index.
constexpr qsizetype kFileCapacity = 2 * ColumnBlock::kFileGranularity;
constexpr std::string_view kPrivatePrefix = "private-";
constexpr time_t kKeepSeconds = time_t{60} * 24 * 3600;

std::string cacheFolder(const std::string& eventFolder)
{
    return storage::joinPath(SeriesCache::root(),
                             fmt::format("{:016x}", fingerprint64(eventFolder)));
}

std::string indexPath(const std::string& folder)
{
    return storage::joinPath(folder, "index");
}

/// Takes the lock of a cache folder; -1 if another process has it.
int lockFolder(const std::string& folder)
{
    const std::string path = storage::joinPath(folder, "lock");
    // flock() ends with its process, so a crash leaves no lock behind. The file stays.
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (descriptor >= 0 && ::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
        ::close(descriptor);
        return -1;
    }
    return descriptor;
}

/// The number is followed by "-" and a serial, where strtol() stops.
bool belongsToDeadProcess(std::string_view name)
{
    const long process =
        std::strtol(std::string(name.substr(kPrivatePrefix.size())).c_str(), nullptr, 10);
    return process > 0 && ::kill(static_cast<pid_t>(process), 0) != 0 && errno == ESRCH;
}

bool isUnused(const std::string& folder)
{
    struct stat status = {};
    // The index is written whenever enough is new; a cache without one counts by its folder.
    if (::stat(indexPath(folder).c_str(), &status) != 0 && ::stat(folder.c_str(), &status) != 0) {
        return false;
    }
    return ::time(nullptr) - status.st_mtim.tv_sec > kKeepSeconds;
}

} // namespace

SeriesCache::SeriesCache(std::string eventFolder)
    : m_eventFolder(std::move(eventFolder)), m_folder(cacheFolder(m_eventFolder))
{}

SeriesCache::~SeriesCache()
{
    if (m_claim == Claim::Private) {
        static_cast<void>(storage::removeTree(m_folder));
    }
    if (m_lock >= 0) {
        ::close(m_lock);
    }
}

std::string SeriesCache::root()
{
    const QString caches = QStandardPaths::writableLocation(QStandardPaths::GenericCacheLocation);
    return storage::joinPath(caches.toStdString(), "cannery/series");
}

/// Whether there is a folder to write to.
bool SeriesCache::claim()
{
    if (m_claim != Claim::NotYet) {
        return m_claim != Claim::None;
    }
    // Until a folder was made. A disk without room is not tried again.
    m_claim = Claim::None;
    if (!storage::makeFolders(m_folder)) {
        return false;
    }
    m_lock = lockFolder(m_folder);
    if (m_lock >= 0) {
        m_claim = Claim::Owned;
        return true;
    }
    // Another window has the folder. Columns still need files, but nothing is left for the next
    // start.
    static std::atomic<int> serial = 0;
    const std::string name = fmt::format("{}{}-{}", kPrivatePrefix, ::getpid(), serial++);
    m_folder = storage::joinPath(root(), name);
    m_claim = storage::makeFolders(m_folder) ? Claim::Private : Claim::None;
    return m_claim == Claim::Private;
}

std::string SeriesCache::columnsPath(std::uint32_t tag, qsizetype capacity) const
{
    return storage::joinPath(m_folder, fmt::format("{}-{}.columns", tag, capacity));
}

std::shared_ptr<ColumnBlock> SeriesCache::makeBlock(std::uint32_t tag, qsizetype capacity)
{
    if (capacity >= kFileCapacity && claim()) {
        // Rounded up, so that each column of the file begins at a page.
        const qsizetype rest = capacity % ColumnBlock::kFileGranularity;
        const qsizetype whole =
            rest == 0 ? capacity : capacity + ColumnBlock::kFileGranularity - rest;
        std::string path = columnsPath(tag, whole);
        if (std::shared_ptr<ColumnBlock> block = ColumnBlock::createFile(path, whole)) {
            std::string& known = m_paths[tag];
            // Who still shows the smaller block keeps its mapping of the removed file.
            if (!known.empty()) {
                ::unlink(known.c_str());
            }
            known = std::move(path);
            return block;
        }
    }
    return ColumnBlock::inMemory(capacity);
}

std::optional<SeriesCache::Content> SeriesCache::load()
{
    // Looked for before claim(), which would make the folder.
    if (!storage::exists(indexPath(m_folder)) || !claim() || m_claim != Claim::Owned) {
        return std::nullopt;
    }
    const auto bytes = storage::readWholeFile(indexPath(m_folder));
    std::optional<Content> content;
    if (bytes) {
        content = decodeSeriesIndex(*bytes, m_eventFolder, [this](std::uint32_t tag, qsizetype n) {
            m_paths[tag] = columnsPath(tag, n);
            return ColumnBlock::openFile(m_paths[tag], n);
        });
    }
    if (!content) {
        clear();
    }
    return content;
}

std::vector<std::string> SeriesCache::tagsOf(const std::string& eventFolder)
{
    const auto bytes = storage::readWholeFile(indexPath(cacheFolder(eventFolder)));
    return bytes ? tagsOfSeriesIndex(*bytes, eventFolder) : std::vector<std::string>();
}

// Columns are in their files already; the index is replaced at once. After a crash the old one
// still fits the columns, to which points were only added, or names a file that is gone, and the
// cache is dropped.
bool SeriesCache::save(const std::vector<EventFileState>& files, const storage::ScalarTags& tags,
                       std::uint32_t session, std::uint32_t sessionFile,
                       std::span<const Entry> series)
{
    if (!claim() || m_claim != Claim::Owned) {
        return false;
    }
    auto file = storage::AtomicFile::create(indexPath(m_folder));
    const std::string bytes =
        encodeSeriesIndex(m_eventFolder, files, tags, session, sessionFile, series);
    return file && file->append(bytes) && file->commit();
}

void SeriesCache::clear()
{
    m_paths.clear();
    if (!claim()) {
        return;
    }
    // First: without an index, columns that could not be deleted mean nothing.
    ::unlink(indexPath(m_folder).c_str());
    const auto names = storage::listFolder(m_folder);
    for (const std::string& name : names ? *names : std::vector<std::string>()) {
        if (name != "lock") {
            ::unlink(storage::joinPath(m_folder, name).c_str());
        }
    }
}

void SeriesCache::prune()
{
    const auto names = storage::listFolder(root());
    for (const std::string& name : names ? *names : std::vector<std::string>()) {
        const std::string folder = storage::joinPath(root(), name);
        if (name.rfind(kPrivatePrefix, 0) == 0) {
            if (belongsToDeadProcess(name)) {
                static_cast<void>(storage::removeTree(folder));
            }
            continue;
        }
        if (!isUnused(folder)) {
            continue;
        }
        // A process that has the folder open keeps it, however old it is.
        if (const int lock = lockFolder(folder); lock >= 0) {
            static_cast<void>(storage::removeTree(folder));
            ::close(lock);
        }
    }
}

} // namespace cannery::ui
