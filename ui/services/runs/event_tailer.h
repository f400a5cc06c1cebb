// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "storage/tf/events/scalar_event_scanner.h"
#include "ui/services/runs/event_file_list.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::ui {

/// Reads the scalars of all event files of one folder in order, again and again as they grow. One
/// thread.
class EventTailer
{
public:
    using Look = EventFileList::Look;

    explicit EventTailer(std::string folder) : m_list(std::move(folder)) {}

    const std::string& folder() const { return m_list.folder(); }
    /// Looks for new files and new bytes.
    Look look() { return m_list.look(); }
    /// As EventFileList::grew().
    bool grew(std::string_view name, std::uint64_t bytes) { return m_list.grew(name, bytes); }
    /// Appends points of one file, at least `limit` or all that it has. Returns the number of that
    /// file; empty if every file has been read to its current end.
    std::optional<std::uint32_t> read(std::vector<storage::ScalarPoint>& points, std::size_t limit);

    /// Reads only the records of each file that begin before this byte.
    void setBytesPerFile(std::uint64_t bytes) { m_list.setBytesPerFile(bytes); }

    storage::ScalarTags& tags() { return m_tags; }
    const std::vector<EventFileState>& files() const { return m_list.files(); }
    /// Continues where another tailer of this folder ended; the next look() checks whether the
    /// files still begin with what it has read.
    void restore(std::vector<EventFileState> files, storage::ScalarTags tags);

    std::uint64_t totalBytes() const { return m_list.totalBytes(); }
    /// Of totalBytes(): read, or unreadable.
    std::uint64_t doneBytes() const { return m_list.doneBytes(); }
    /// Bytes actually read since the start.
    std::uint64_t bytesRead() const { return m_bytesRead; }
    /// As EventFileList::problem().
    std::string problem() const { return m_list.problem(); }

private:
    EventFileList m_list;
    storage::ScalarTags m_tags;
    std::optional<storage::ScalarEventScanner> m_scanner; ///< of m_current
    std::uint32_t m_current = 0;
    std::uint64_t m_bytesRead = 0;
};

} // namespace cannery::ui
