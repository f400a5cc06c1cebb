// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace cannery::storage {

/// Identifies a file and its state without reading it: its inode, its size, and when its bytes and
/// its inode last changed. Programs cannot set the time of the inode, so no copy and no later edit
/// has the same stamp.
struct FileStamp
{
    std::uint64_t inode = 0;
    std::uint64_t size = 0;
    std::int64_t modified = 0; ///< nanoseconds since 1970
    std::int64_t changed = 0;  ///< nanoseconds since 1970, of the inode

    bool operator==(const FileStamp&) const = default;
};

/// Of a regular file, or of the one that a link leads to; otherwise nothing.
std::optional<FileStamp> stampOf(const std::string& path);

/// Whether the file last changed so long before `time` that any change since then gives another
/// stamp: file systems count time in steps of milliseconds, or of two seconds.
bool wasSettled(const FileStamp& stamp, std::chrono::system_clock::time_point time);

/// The stamp as text, for comparison.
std::string toText(const FileStamp& stamp);

} // namespace cannery::storage
