// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "storage/tf/scalar_event_scanner.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::ui {

/// How far an event file has been read, and what tells whether it is still the same file.
struct EventFileState
{
    std::string name;
    std::uint32_t number = 0; ///< in the order of discovery
    std::uint64_t position = 0;
    std::uint64_t size = 0;    ///< when last looked at
    std::int64_t modified = 0; ///< nanoseconds since 1970
    std::uint64_t inode = 0;
    std::uint64_t exhaustedSize = 0; ///< of this size nothing more could be read
    std::string problem;             ///< why not
    std::uint32_t headCrc = 0;       ///< of the first bytes, at most kMarkBytes
    std::uint32_t tailCrc = 0;       ///< of the last ones before `position`
    bool isTrusted = true;           ///< false: whether it is still the same file must be looked at

    static constexpr std::uint64_t kMarkBytes = 4096;

    bool hasMore() const { return size != exhaustedSize; }
};

/// Reads the scalars of all event files of one folder in their order, again and again as they
/// grow. A damaged file ends where it is damaged, and the others go on; it is tried again when it
/// changes, as bytes on a network may come late. One thread.
class EventTailer
{
public:
    enum class Look
    {
        Missing,  ///< the folder is not there, or cannot be read
        Nothing,  ///< nothing new
        More,     ///< read() has something to do
        Replaced, ///< a file that was read is gone or another one: begin anew
    };

    explicit EventTailer(std::string folder);

    const std::string& folder() const { return m_folder; }
    /// Looks for new files and new bytes.
    Look look();
    /// Whoever writes the file says that it has reached this size: nothing need be looked for.
    /// False when look() must, as the file is a new one or another than was read.
    bool grew(std::string_view name, std::uint64_t bytes);
    /// Appends points of one file, at least `limit` or all that it has. The number of that file;
    /// nothing when every file has been read to its present end.
    std::optional<std::uint32_t> read(std::vector<storage::ScalarPoint>& points, std::size_t limit);

    /// Reads of each file only what begins before this byte.
    void setBytesPerFile(std::uint64_t bytes) { m_bytesPerFile = bytes; }

    storage::ScalarTags& tags() { return m_tags; }
    const std::vector<EventFileState>& files() const { return m_files; }
    /// Goes on where another tailer of this folder has ended; the next look() finds out whether
    /// the files still begin with what it has read.
    void restore(std::vector<EventFileState> files, storage::ScalarTags tags);

    std::uint64_t totalBytes() const;
    /// Of totalBytes(): what is behind, or cannot be read.
    std::uint64_t doneBytes() const;
    /// Bytes really read since the start.
    std::uint64_t bytesRead() const { return m_bytesRead; }
    /// A sentence about the first file that could not be read to its end; empty when all could.
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
