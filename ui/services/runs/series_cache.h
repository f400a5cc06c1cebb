// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/services/runs/event_tailer.h"
#include "ui/services/runs/series_writer.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cannery::ui {

/// One series in a cache.
struct CachedSeries
{
    std::uint32_t tag = 0;
    SeriesWriter::State state;
    std::shared_ptr<ColumnBlock> block;
};

/// A cache of what was read from one folder's event files, for the next start. It is in
/// <cache>/cannery/series/<fingerprint of the folder's path>/: an index, written completely or not
/// at all, and a file of columns for each series that is not small. If index and files disagree,
/// the cache is worthless, never wrong. Reason: 500 runs with 12 M points take 4.1 s to decode and
/// 0.47 s from here (tests/benchmarks/README.md). Another process with the same folder open gets
/// temporary storage of its own. One thread.
class SeriesCache
{
public:
    struct Content
    {
        std::vector<EventFileState> files;
        storage::ScalarTags tags;
        std::uint32_t session = 0;
        std::uint32_t sessionFile = 0;
        std::vector<CachedSeries> series;
    };

    explicit SeriesCache(std::string eventFolder);
    ~SeriesCache();
    SeriesCache(const SeriesCache&) = delete;
    SeriesCache& operator=(const SeriesCache&) = delete;

    /// Empty if there is no cache, or if it is damaged or of another version.
    std::optional<Content> load();
    /// The tags of a folder's series according to its cache; reads only the index.
    static std::vector<std::string> tagsOf(const std::string& eventFolder);

    /// Storage for a tag's points: in a file if it is large and the disk has room.
    std::shared_ptr<ColumnBlock> makeBlock(std::uint32_t tag, qsizetype capacity);

    struct Entry
    {
        std::uint32_t tag = 0;
        SeriesWriter* writer = nullptr;
    };
    /// False if it could not be written, or if another process has the folder.
    bool save(const std::vector<EventFileState>& files, const storage::ScalarTags& tags,
              std::uint32_t session, std::uint32_t sessionFile, std::span<const Entry> series);
    /// Deletes everything.
    void clear();

    /// <cache>/cannery/series of this user.
    static std::string root();
    /// Deletes caches that were not used for two months, and what dead processes left behind.
    static void prune();

private:
    bool claim();
    std::string columnsPath(std::uint32_t tag, qsizetype capacity) const;

    enum class Claim
    {
        NotYet,
        Owned,   ///< ours, kept for the next start
        Private, ///< temporary, deleted at the end
        None,    ///< no room on the disk at all
    };

    std::string m_eventFolder;
    std::string m_folder;
    int m_lock = -1;
    Claim m_claim = Claim::NotYet;
    std::map<std::uint32_t, std::string> m_paths; ///< paths of the tags' current columns
};

} // namespace cannery::ui
