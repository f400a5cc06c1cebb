// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/io/inflate.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace cannery::storage {

/// One file of an archive.
struct ZipEntry
{
    std::string name;         ///< as it stands there, in UTF-8; never a path to write to
    std::uint64_t size = 0;   ///< decompressed
    std::uint64_t number = 0; ///< its place in the directory
};

/// A zip archive, read in place by libzip. Thread-safe.
class ZipArchive
{
public:
    static constexpr std::size_t kMostEntries = 65536;

    /// Reads the directory. Errors: "zip.not_an_archive", "zip.damaged", "zip.too_many_entries",
    /// "zip.method" for encryption.
    static Result<ZipArchive> open(const std::string& path);

    const std::vector<ZipEntry>& entries() const { return m_entries; }
    const std::string& path() const;

    /// The bytes of an entry, decompressed, for one thread; fills every span but the last, and 0 is
    /// the end. Errors: another way of compression. Bytes that cannot be decompressed, too few or
    /// too many of them, and ones that disagree with the entry's checksum are errors of the source:
    /// the last at the entry's last byte, whether or not anything is read behind it.
    Result<ByteSource> read(const ZipEntry& entry) const;

private:
    class Opened;
    class EntryBytes;

    ZipArchive(std::shared_ptr<Opened> opened, std::vector<ZipEntry> entries);

    std::shared_ptr<Opened> m_opened;
    std::vector<ZipEntry> m_entries;
};

/// Whether a file begins as a zip archive does.
bool isZipArchive(const std::string& path);

} // namespace cannery::storage
