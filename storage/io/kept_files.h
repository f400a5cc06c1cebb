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

/// Files that are looked at before they are read: of what is read of their beginnings, so many
/// bytes are kept, and nobody fetches them from the disk again. What a later reader finds there is
/// what the first one found, even when the file has changed. Any thread.
class KeptFiles
{
public:
    static constexpr std::size_t kKeptBytes = std::size_t{16} << 20U;

    /// `limit` counts the bytes of all files together.
    explicit KeptFiles(std::vector<std::string> paths, std::size_t limit = kKeptBytes);

    /// A file's bytes from its first one on, for one thread; 0 of them at its end. Must not outlive
    /// this. Errors: of opening, unless the whole file is kept.
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
        std::vector<Piece> pieces; ///< one after the other, from the file's first byte on
        std::uint64_t size = 0;    ///< of them all
        bool isWhole = false;      ///< the file ends behind them
    };

    bool isWhole(std::size_t file) const;
    /// Copies what is kept from an offset on; nothing when that is to be read from the disk, 0 at
    /// the end of the file.
    std::optional<std::size_t> copyKept(std::size_t file, std::uint64_t offset,
                                        std::span<std::byte> bytes) const;
    /// `isEnd`: the file ends behind these bytes.
    void keep(std::size_t file, std::uint64_t offset, std::span<const std::byte> bytes,
              bool isEnd) const;

    std::vector<std::string> m_paths;
    mutable std::mutex m_mutex; ///< guards what follows
    mutable std::vector<Start> m_starts;
    mutable std::size_t m_room;
};

} // namespace cannery::storage
