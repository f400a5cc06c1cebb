// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/io/inflate.h"
#include "storage/io/readable_file.h"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cannery::storage {

/// Files that are inspected before they are read: the beginnings already read are cached, up to a
/// limit, and not read from disk again. A later reader sees what the first one saw, even if the
/// file has changed. Any thread.
class CachedFiles
{
public:
    static constexpr std::size_t kKeptBytes = std::size_t{16} << 20U;

    /// What is read of a zip archive.
    enum class Archives
    {
        Bytes,      ///< its own, as of any file
        TheirTable, ///< those of the only table in it, which are not cached
    };

    /// `limit` is the total for all files, in bytes.
    explicit CachedFiles(std::vector<std::string> paths, std::size_t limit = kKeptBytes,
                         Archives archives = Archives::Bytes);

    /// A file's bytes from the beginning, for one thread; 0 bytes at its end. Must not outlive this
    /// object. Errors: of opening, unless the whole file is cached; "zip.several_tables".
    Result<ByteSource> open(std::size_t file) const;

private:
    class Reader;

    struct Piece
    {
        std::uint64_t offset = 0;
        std::vector<std::byte> bytes;
    };

    struct Start
    {
        std::vector<Piece> pieces; ///< contiguous, from the file's first byte
        std::uint64_t size = 0;    ///< of all pieces
        bool isWhole = false;      ///< the file ends after them
    };

    bool isWhole(std::size_t file) const;
    /// Copies cached bytes from an offset; nothing if they must be read from disk, 0 at the end of
    /// the file.
    std::optional<std::size_t> copyKept(std::size_t file, std::uint64_t offset,
                                        std::span<std::byte> bytes) const;
    /// `isEnd`: the file ends after these bytes.
    void keep(std::size_t file, std::uint64_t offset, std::span<const std::byte> bytes,
              bool isEnd) const;

    std::vector<std::string> m_paths;
    Archives m_archives;
    mutable std::mutex m_mutex; ///< guards the following
    mutable std::vector<Start> m_starts;
    mutable std::size_t m_room;
};

} // namespace cannery::storage
