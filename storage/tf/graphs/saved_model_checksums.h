// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/io/file_system.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

/// Checksums of the files of a SavedModel, which itself has none except for the variables. Ours are
/// stored in `assets.extra`, which TensorFlow ignores; a foreign SavedModel has none.
///
///   file = "crc32c " crc of all that follows, then a line for each file
///   line = crc, size, path below the SavedModel's folder
///
/// Only for the sources of storage/tf.
namespace cannery::storage::detail {

struct FileChecksum
{
    std::uint32_t crc = 0;
    std::uint64_t size = 0;

    bool operator==(const FileChecksum&) const = default;
};
using FileChecksums = std::map<std::string, FileChecksum>;

FileChecksum checksumOf(std::string_view bytes);

/// Writes the list. A name containing a line end is left out.
Result<void> writeChecksums(const std::string& folder, const FileChecksums& checksums,
                            FileSystem& system);

/// The list of a folder, empty if it has none; DataLoss if it is damaged.
Result<FileChecksums> readChecksums(const std::string& folder);

/// DataLoss, with the file's name, if the bytes read from it differ from those of the list.
Result<void> compareChecksum(const std::string& folder, const std::string& name,
                             std::string_view bytes, const FileChecksums& checksums);

} // namespace cannery::storage::detail
