// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/services/event_tailer.h"
#include "ui/services/series_cache.h"
#include "ui/services/series_writer.h"

#include <QString>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace cannery::ui {

class RunNewsWriter;

/// What the event files of one folder of a run hold: the tags, and while the run is watched every
/// point. Read piece by piece, one thread.
class FolderSeries
{
public:
    /// `key`: what SeriesKey::folder says. Both outlive it.
    FolderSeries(QString key, std::string path, RunNewsWriter& news,
                 std::vector<storage::ScalarPoint>& scratch);

    const QString& key() const { return m_key; }
    const std::string& path() const { return m_path; }

    /// Tells the tags of a folder that is not watched.
    void listTags();

    enum class Step
    {
        Done, ///< nothing more to read now
        More,
        Replaced, ///< its files are no longer what was read: begin anew
    };
    /// Goes on with a watched folder by one piece. `looks`: for new files and bytes first.
    Step advance(bool looks);
    /// Whoever writes the file says so. False when the folder must be looked through.
    bool grew(std::string_view name, std::uint64_t bytes);
    /// Drops all points; the tags stay told.
    void forget();
    /// What was kept for the next start is of files that are not there any more.
    void dropCache();

    std::uint64_t totalBytes() const { return m_tailer ? m_tailer->totalBytes() : 0; }
    /// Of totalBytes(): what is behind, or cannot be read.
    std::uint64_t doneBytes() const { return m_tailer ? m_tailer->doneBytes() : 0; }
    std::string problem() const { return m_tailer ? m_tailer->problem() : std::string(); }

private:
    void open();
    void takePoints(std::uint32_t file);
    void tellPoints();
    std::uint32_t announce(const std::string& tag);
    void makeRoomForTags();
    bool hasDamage() const;
    std::uint64_t positions() const;
    void save(bool isLast);

    QString m_key;
    std::string m_path;
    RunNewsWriter& m_news;
    std::vector<storage::ScalarPoint>& m_points;
    std::unordered_map<std::string, std::uint32_t> m_seriesByTag; ///< told so far, by name
    bool m_isListed = false; ///< its tags were told, as far as an unwatched run's are

    // While the run is watched:
    std::unique_ptr<EventTailer> m_tailer;
    std::unique_ptr<SeriesCache> m_cache;
    std::vector<SeriesWriter> m_writers; ///< by number of the tag
    std::vector<std::uint32_t> m_series; ///< by number of the tag, or kNone
    std::vector<std::uint32_t> m_dirty;  ///< numbers of tags with points that were not told
    PointOrigin m_origin;
    std::uint64_t m_pointsRead = 0;
    std::uint64_t m_savedBytes = 0;
};

} // namespace cannery::ui
