#pragma once

#include "core/base/result.h"
#include "storage/io/file_system.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::storage {

/// The whole content; an error when it is longer than `maxBytes`. Works for pipes and /dev/stdin.
Result<std::string> readWholeFile(const std::string& path,
                                  std::size_t maxBytes = std::numeric_limits<std::size_t>::max());

/// Names (not paths) in a folder, sorted, without "." and "..".
Result<std::vector<std::string>> listFolder(const std::string& path);

bool exists(const std::string& path);
bool isFolder(const std::string& path);
Result<std::uint64_t> fileSize(const std::string& path);

/// The folder and all those above it that are missing.
Result<void> makeFolders(const std::string& path, FileSystem& system = realFileSystem());
/// A folder with everything in it, or a file; nothing there is no error. Follows no links.
Result<void> removeTree(const std::string& path, FileSystem& system = realFileSystem());
/// What a file's copy consists of.
struct CopiedBytes
{
    std::uint32_t crc = 0; ///< CRC32C
    std::uint64_t size = 0;
};
/// Copies one file, atomically and synced.
Result<CopiedBytes> copyFile(const std::string& from, const std::string& to,
                             FileSystem& system = realFileSystem());

/// "a" + "b" = "a/b"; an absolute second part or an empty first one stands alone.
std::string joinPath(std::string_view folder, std::string_view name);
/// "a/b/c" → "a/b"; "c" → "."; "/c" → "/".
std::string parentFolder(std::string_view path);
/// "a/b/c" → "c".
std::string baseName(std::string_view path);

} // namespace cannery::storage
