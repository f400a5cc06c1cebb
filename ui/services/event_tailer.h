// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "storage/tf/scalar_event_scanner.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::ui {

/// How far an event file has been read, and how to tell whether it is still the same file.
struct EventFileState
{
    std::string name;
    std::uint32_t number = 0; ///< in the order of discovery
    std::uint64_t position = 0;
    std::uint64_t size = 0;    ///< when last checked
    std::int64_t modified = 0; ///< nanoseconds since 1970
    std::uint64_t inode = 0;
    std::uint64_t exhaustedSize = 0; ///< nothing more could be read at this size
    std::string problem;             ///< why not
    std::uint32_t headCrc = 0;       ///< of the first bytes, at most kMarkBytes
    std::uint32_t tailCrc = 0;       ///< of the last ones before `position`
    bool isTrusted = true;           ///< false: must be checked for being the same file

    static constexpr std::uint64_t kMarkBytes = 4096;

    bool hasMore() const { return size != exhaustedSize; }
};

/// Reads the scalars of all event files of one folder in order, again and again as they grow. A
/// damaged file is read up to the damage and the others continue; it is tried again when it
/// changes, because bytes may arrive late on a network. One thread.
class EventTailer
{
public:
    enum class Look
    {
        Missing,  ///< the folder does not exist, or cannot be read
        Nothing,  ///< nothing new
        More,     ///< read() has something to do
        Replaced, ///< a file that was read has disappeared or was replaced: start over
    };

    explicit EventTailer(std::string folder);

    const std::string& folder() const { return m_folder; }
    /// Looks for new files and new bytes.
    Look look();
    /// The file's writer announces this size: no need to look.
    /// False if look() is needed, because the file is new or not the one that was read.
    bool grew(std::string_view name, std::uint64_t bytes);
    /// Appends points of one file, at least `limit` or all that it has. Returns the number of that
    /// file; empty if every file has been read to its current end.
    std::optional<std::uint32_t> read(std::vector<storage::ScalarPoint>& points, std::size_t limit);

    /// Reads only the records of each file that begin before this byte.
    void setBytesPerFile(std::uint64_t bytes) { m_bytesPerFile = bytes; }

    storage::ScalarTags& tags() { return m_tags; }
    const std::vector<EventFileState>& files() const { return m_files; }
    /// Continues where another tailer of this folder ended; the next look() checks whether the
    /// files still begin with what it has read.
    void restore(std::vector<EventFileState> files, storage::ScalarTags tags);

    std::uint64_t totalBytes() const;
    /// Of totalBytes(): read, or unreadable.
    std::uint64_t doneBytes() const;
    /// Bytes actually read since the start.
    std::uint64_t bytesRead() const { return m_bytesRead; }
    /// A sentence about the first file that could not be read to its end; empty if all could.
    std::string problem() const;

private:
    bool refresh(EventFileState& file) const;
    void mark(EventFileState& file) const;
    bool isLeft(const EventFileState& file) const;
    void closeFile();

    std::string m_folder;
    std::vector<EventFileState> m_files; ///< by name
    std::uint32_t m_nextNumber = 0;
    storage::ScalarTags m_tags;
    std::optional<storage::ScalarEventScanner> m_scanner; ///< of m_current
    std::uint32_t m_current = 0;
    std::uint64_t m_bytesPerFile = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t m_bytesRead = 0;
    std::string m_folderProblem;
};

} // namespace cannery::ui
