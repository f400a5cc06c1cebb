// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/io/file_system.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

/// Checksums of the files of a SavedModel, which has none of its own but for the variables. Ours
/// stand in `assets.extra`, which TensorFlow leaves alone; a SavedModel of others has none.
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

/// Writes the list. A name with a line end in it is left out.
Result<void> writeChecksums(const std::string& folder, const FileChecksums& checksums,
                            FileSystem& system);

/// The list of a folder, empty when it has none; DataLoss when it is damaged.
Result<FileChecksums> readChecksums(const std::string& folder);

/// DataLoss, with the file's name, when bytes that were read of it are not those of the list.
Result<void> compareChecksum(const std::string& folder, const std::string& name,
                             std::string_view bytes, const FileChecksums& checksums);

} // namespace cannery::storage::detail
