// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/services/runs/event_tailer.h"
#include "ui/services/runs/series_cache.h"
#include "ui/services/runs/series_writer.h"

#include <QString>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace cannery::ui {

class RunNewsWriter;

/// The event files of one folder of a run: the tags and, while the run is watched, every point.
/// Read piece by piece, on one thread.
class FolderSeries
{
public:
    /// `key`: as in SeriesKey::folder. Both outlive it.
    FolderSeries(QString key, std::string path, RunNewsWriter& news,
                 std::vector<storage::ScalarPoint>& scratch);

    const QString& key() const { return m_key; }
    const std::string& path() const { return m_path; }

    /// Reports the tags of a folder that is not watched.
    void listTags();

    enum class Step
    {
        Done, ///< nothing more to read now
        More,
        Replaced, ///< its files are not those that were read: start over
    };
    /// Reads the next piece of a watched folder. `looks`: first looks for new files and bytes.
    Step advance(bool looks);
    /// The file's writer announces this size. False if the folder must be scanned.
    bool grew(std::string_view name, std::uint64_t bytes);
    /// Drops all points; the tags stay reported.
    void forget();
    /// The cache for the next start belongs to files that no longer exist.
    void dropCache();

    std::uint64_t totalBytes() const { return m_tailer ? m_tailer->totalBytes() : 0; }
    /// Of totalBytes(): read, or unreadable.
    std::uint64_t doneBytes() const { return m_tailer ? m_tailer->doneBytes() : 0; }
    std::string problem() const { return m_tailer ? m_tailer->problem() : std::string(); }

private:
    void open();
    void takePoints(std::uint32_t file);
    void publishPoints();
    std::uint32_t announce(const std::string& tag);
    void makeRoomForTags();
    bool hasDamage() const;
    std::uint64_t positions() const;
    void save(bool isLast);

    QString m_key;
    std::string m_path;
    RunNewsWriter& m_news;
    std::vector<storage::ScalarPoint>& m_points;
    std::unordered_map<std::string, std::uint32_t> m_seriesByTag; ///< reported so far, by name
    bool m_isListed = false; ///< its tags were reported, as for an unwatched run

    // While the run is watched:
    std::unique_ptr<EventTailer> m_tailer;
    std::unique_ptr<SeriesCache> m_cache;
    std::vector<SeriesWriter> m_writers; ///< by tag number
    std::vector<std::uint32_t> m_series; ///< by tag number, or kNone
    std::vector<std::uint32_t> m_dirty;  ///< numbers of tags with unreported points
    PointOrigin m_origin;
    std::uint64_t m_pointsRead = 0;
    std::uint64_t m_savedBytes = 0;
};

} // namespace cannery::ui
