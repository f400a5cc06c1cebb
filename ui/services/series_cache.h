// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/services/event_tailer.h"
#include "ui/services/series_writer.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cannery::ui {

/// One row of what a cache holds.
struct CachedSeries
{
    std::uint32_t tag = 0;
    SeriesWriter::State state;
    std::shared_ptr<ColumnBlock> block;
};

/// All that was read from the event files of one folder, kept for the next start. It lies in
/// <cache>/cannery/series/<fingerprint of the folder's path>/: an index, written whole or not at
/// all, and a file of columns for each series that is not small. What the index says and the files
/// do not hold makes the cache worthless, never wrong. It is here because 500 runs with 12 M points
/// take 4.1 s to decode and 0.47 s from here (tests/benchmarks/README.md). Another process that has
/// the same folder open gets room of its own, which goes with it. One thread.
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

    /// Nothing when there is no cache, or when it is damaged or of another version.
    std::optional<Content> load();
    /// Tags of the series of a folder as its cache knows them; costs the reading of the index.
    static std::vector<std::string> tagsOf(const std::string& eventFolder);

    /// Room for the points of a tag: in a file when it is large and the disk has the room.
    std::shared_ptr<ColumnBlock> makeBlock(std::uint32_t tag, qsizetype capacity);

    struct Entry
    {
        std::uint32_t tag = 0;
        SeriesWriter* writer = nullptr;
    };
    /// False when it could not be written, or when another process has the folder.
    bool save(const std::vector<EventFileState>& files, const storage::ScalarTags& tags,
              std::uint32_t session, std::uint32_t sessionFile, std::span<const Entry> series);
    /// Forgets everything.
    void clear();

    /// <cache>/cannery/series of this user.
    static std::string root();
    /// Deletes caches that no one has used for two months, and what dead processes have left.
    static void prune();

private:
    bool claim();
    std::string columnsPath(std::uint32_t tag, qsizetype capacity) const;

    enum class Claim
    {
        NotYet,
        Owned,   ///< ours to keep
        Private, ///< goes when we go
        None,    ///< no room on the disk at all
    };

    std::string m_eventFolder;
    std::string m_folder;
    int m_lock = -1;
    Claim m_claim = Claim::NotYet;
    std::map<std::uint32_t, std::string> m_paths; ///< of the tags' present columns
};

} // namespace cannery::ui
