// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/io/inflate.h"
#include "storage/io/readable_file.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace cannery::storage {

/// One file of an archive.
struct ZipEntry
{
    std::string name; ///< as it stands there; never a path to write to
    std::uint16_t method = 0;
    std::uint64_t packedSize = 0;
    std::uint64_t size = 0;
    std::uint64_t headerOffset = 0;
};

/// A zip archive (APPNOTE 6.3, with zip64) of stored and deflated files, read in place.
/// Thread-safe.
class ZipArchive
{
public:
    static constexpr std::size_t kMostEntries = 65536;

    /// Reads the directory. Errors: "zip.not_an_archive", "zip.damaged", "zip.too_many_entries".
    static Result<ZipArchive> open(const std::string& path);

    const std::vector<ZipEntry>& entries() const { return m_entries; }
    const std::string& path() const { return m_file->path(); }

    /// The bytes of an entry, decompressed, for one thread; 0 at its end. Errors: another way of
    /// compression, encryption. Bytes that are no deflate stream, or too few or too many of them,
    /// are errors of the source.
    Result<ByteSource> read(const ZipEntry& entry) const;

private:
    ZipArchive(std::shared_ptr<const ReadableFile> file, std::vector<ZipEntry> entries)
        : m_file(std::move(file)), m_entries(std::move(entries))
    {}

    std::shared_ptr<const ReadableFile> m_file;
    std::vector<ZipEntry> m_entries;
};

} // namespace cannery::storage
