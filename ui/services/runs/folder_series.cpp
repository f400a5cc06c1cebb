// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/runs/folder_series.h"

#include "ui/services/runs/run_news.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace cannery::ui {

namespace {

/// Points in one unit of work, and so at most in one message.
constexpr std::size_t kPiece = 65536;
/// How much of each file is searched for the tags of an unwatched run.
constexpr std::uint64_t kTagBytes = std::uint64_t{1} << 20U;
/// Fewer bytes are decoded as quickly as they are read from a cache.
constexpr std::uint64_t kWorthSaving = std::uint64_t{64} << 10U;

} // namespace

FolderSeries::FolderSeries(QString key, std::string path, RunNewsWriter& news,
                           std::vector<storage::ScalarPoint>& scratch)
    : m_key(std::move(key)), m_path(std::move(path)), m_news(news), m_points(scratch)
{}

void FolderSeries::makeRoomForTags()
{
    m_writers.resize(m_tailer->tags().size());
    m_series.resize(m_tailer->tags().size(), storage::ScalarTags::kNone);
}

/// Whether the disk has lost columns that were written to it.
bool FolderSeries::hasDamage() const
{
    return storage::GuardedMapping::isAnyDamaged() &&
           std::any_of(m_writers.begin(), m_writers.end(), [](const SeriesWriter& writer) {
               return writer.block() && writer.block()->isDamaged();
           });
}

void FolderSeries::listTags()
{
    if (m_isListed) {
        return;
    }
    // The cache of a run that was watched before lists all of its tags, and needs one small file.
    std::vector<std::string> tags = SeriesCache::tagsOf(m_path);
    if (tags.empty()) {
        EventTailer tailer(m_path);
        tailer.setBytesPerFile(kTagBytes);
        std::vector<bool> hasPoints;
        tailer.look();
        for (m_points.clear(); tailer.read(m_points, kPiece); m_points.clear()) {
            // A tag that has no scalars, such as a histogram's, is interned as well.
            hasPoints.resize(tailer.tags().size());
            for (const storage::ScalarPoint& point : m_points) {
                if (point.tag != storage::ScalarPoint::kSessionStart) {
                    hasPoints[point.tag] = true;
                }
            }
        }
        m_news.addBytesRead(tailer.bytesRead());
        for (std::uint32_t tag = 0; tag < hasPoints.size(); ++tag) {
            if (hasPoints[tag]) {
                tags.push_back(tailer.tags().name(tag));
            }
        }
    }
    for (const std::string& tag : tags) {
        announce(tag);
    }
    // A new run may log its first scalar later, so it is listed again.
    m_isListed = !tags.empty();
}

FolderSeries::Step FolderSeries::advance(bool looks)
{
    if (!m_tailer) {
        open();
    } else if (hasDamage() || (looks && m_tailer->look() == EventTailer::Look::Replaced)) {
        return Step::Replaced;
    }
    const std::uint64_t before = m_tailer->bytesRead();
    m_points.clear();
    const std::optional<std::uint32_t> file = m_tailer->read(m_points, kPiece);
    m_news.addBytesRead(m_tailer->bytesRead() - before);
    if (file) {
        takePoints(*file);
    } else {
        // Everything has been read. Saving in between would write an index again and again.
        save(false);
    }
    publishPoints();
    return file ? Step::More : Step::Done;
}

bool FolderSeries::grew(std::string_view name, std::uint64_t bytes)
{
    // Of an unwatched run only the tags matter, and those are known.
    return m_tailer ? m_tailer->grew(name, bytes) : m_isListed;
}

void FolderSeries::open()
{
    m_cache = std::make_unique<SeriesCache>(m_path);
    m_tailer = std::make_unique<EventTailer>(m_path);
    std::optional<SeriesCache::Content> content = m_cache->load();
    if (!content) {
        m_tailer->look();
        return;
    }
    m_tailer->restore(std::move(content->files), std::move(content->tags));
    // The cache is of other files. Nothing was reported yet, so nothing has to be taken back.
    if (m_tailer->look() == EventTailer::Look::Replaced) {
        m_cache->clear();
        m_tailer = std::make_unique<EventTailer>(m_path);
        m_tailer->look();
        return;
    }
    m_origin.session = content->session;
    m_origin.sessionFile = content->sessionFile;
    makeRoomForTags();
    for (CachedSeries& row : content->series) {
        m_pointsRead += static_cast<std::uint64_t>(row.state.count);
        m_writers[row.tag] = SeriesWriter(std::move(row.state), std::move(row.block));
        // Reported like points that were just read.
        m_dirty.push_back(row.tag);
    }
    m_savedBytes = positions();
}

void FolderSeries::takePoints(std::uint32_t file)
{
    makeRoomForTags();
    m_origin.file = file;
    std::uint64_t taken = m_pointsRead;
    m_pointsRead += m_points.size();
    // The estimated size once all is read.
    const double expected = static_cast<double>(m_pointsRead) *
                            static_cast<double>(m_tailer->totalBytes()) /
                            static_cast<double>(std::max(positions(), std::uint64_t{1}));
    for (const storage::ScalarPoint& point : m_points) {
        ++taken;
        if (point.tag == storage::ScalarPoint::kSessionStart) {
            ++m_origin.session;
            m_origin.sessionFile = file;
            continue;
        }
        SeriesWriter& writer = m_writers[point.tag];
        if (!writer.hasNews()) {
            m_dirty.push_back(point.tag);
        }
        // The capacity is chosen for the whole folder, as if this tag went on in the same share, so
        // that its columns are not copied at each doubling.
        if (writer.isFull()) {
            const double growth = expected / static_cast<double>(taken);
            writer.moveTo(m_cache->makeBlock(point.tag, writer.nextCapacity(growth)));
        }
        writer.append(point.step, point.wallTime, point.value, m_origin);
    }
}

void FolderSeries::publishPoints()
{
    for (const std::uint32_t tag : m_dirty) {
        std::uint32_t& series = m_series[tag];
        if (series == storage::ScalarTags::kNone) {
            series = announce(m_tailer->tags().name(tag));
        }
        m_news.update(series, m_writers[tag].takeUpdate());
    }
    m_dirty.clear();
}

/// The number of a series, reported if it is new.
std::uint32_t FolderSeries::announce(const std::string& tag)
{
    const auto known = m_seriesByTag.find(tag);
    return known != m_seriesByTag.end()
               ? known->second
               : m_seriesByTag.emplace(tag, m_news.announce(m_key, tag)).first->second;
}

std::uint64_t FolderSeries::positions() const
{
    std::uint64_t bytes = 0;
    for (const EventFileState& file : m_tailer->files()) {
        bytes += file.position;
    }
    return bytes;
}

/// Saves what was read for the next start, if enough has been added.
void FolderSeries::save(bool isLast)
{
    const std::uint64_t bytes = positions();
    const std::uint64_t news = bytes - std::min(bytes, m_savedBytes);
    // A quarter more each time: the index is written for all series, so its cost stays in
    // proportion.
    if (news < kWorthSaving || (!isLast && news < m_savedBytes / 4) || hasDamage()) {
        return;
    }
    std::vector<SeriesCache::Entry> entries;
    for (std::uint32_t tag = 0; tag < m_writers.size(); ++tag) {
        if (m_writers[tag].block()) {
            entries.push_back({tag, &m_writers[tag]});
        }
    }
    m_savedBytes = bytes;
    m_cache->save(m_tailer->files(), m_tailer->tags(), m_origin.session, m_origin.sessionFile,
                  entries);
}

void FolderSeries::forget()
{
    if (m_tailer) {
        save(true);
    }
    m_tailer.reset();
    m_cache.reset();
    m_writers.clear();
    m_series.clear();
    m_dirty.clear();
    m_origin = {};
    m_pointsRead = 0;
    m_savedBytes = 0;
    // Its tags were reported with its points.
    m_isListed = true;
}

void FolderSeries::dropCache()
{
    if (m_cache) {
        m_cache->clear();
    }
}

} // namespace cannery::ui
