// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::ui {

/// How far an event file has been read, and how to recognise that it is still the same file.
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

/// The event files of one folder in order, and how far each has been read, while they grow. A
/// damaged file is read up to the damage and the others continue; it is tried again when it
/// changes, because bytes may arrive late on a network. One thread.
class EventFileList
{
public:
    enum class Look
    {
        Missing,  ///< the folder does not exist, or cannot be read
        Nothing,  ///< nothing new
        More,     ///< next() has something to read
        Replaced, ///< a file that was read has disappeared or was replaced: start over
    };

    explicit EventFileList(std::string folder);

    const std::string& folder() const { return m_folder; }
    std::string pathOf(const EventFileState& file) const;
    /// Looks for new files and new bytes.
    Look look();
    /// The file's writer announces this size: no need to look.
    /// False if look() is needed, because the file is new or not the one that was read.
    bool grew(std::string_view name, std::uint64_t bytes);
    /// The first file with something left to read; null if there is none. Valid until the next call
    /// of look().
    EventFileState* next();
    /// The file has been read to its current end, which is at its position, or no further because
    /// of a `problem`.
    void exhaust(EventFileState& file, std::string problem) const;

    /// Reads only the records of each file that begin before this byte.
    void setBytesPerFile(std::uint64_t bytes) { m_bytesPerFile = bytes; }
    std::uint64_t bytesPerFile() const { return m_bytesPerFile; }

    const std::vector<EventFileState>& files() const { return m_files; }
    /// Continues where another list of this folder ended; the next look() checks whether the files
    /// still begin with what it has read.
    void restore(std::vector<EventFileState> files);

    std::uint64_t totalBytes() const;
    /// Of totalBytes(): read, or unreadable.
    std::uint64_t doneBytes() const;
    /// A sentence about the first file that could not be read to its end; empty if all could.
    std::string problem() const;

private:
    bool refresh(EventFileState& file) const;
    void mark(EventFileState& file) const;
    bool isLeft(const EventFileState& file) const;

    std::string m_folder;
    std::vector<EventFileState> m_files; ///< by name
    std::uint32_t m_nextNumber = 0;
    std::uint64_t m_bytesPerFile = std::numeric_limits<std::uint64_t>::max();
    std::string m_folderProblem;
};

} // namespace cannery::ui
