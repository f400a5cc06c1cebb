// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/io/file_system.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::storage {

/// Maximum size of a file that is read as one text, unless its reader sets a lower one.
inline constexpr std::size_t kLargestWholeFile = std::size_t{1} << 30U;

/// The whole content of a regular file or of /dev/stdin; an error, if possible before anything is
/// read, if it is longer than `maxBytes`.
Result<std::string> readWholeFile(const std::string& path,
                                  std::size_t maxBytes = kLargestWholeFile);

/// Names (not paths) in a folder, sorted, without "." and "..".
Result<std::vector<std::string>> listFolder(const std::string& path);

/// A name in a folder, and what it is.
struct FolderEntry
{
    std::string name;
    bool isFolder = false; ///< itself, or what the link leads to
    bool isLink = false;
};

/// The same with what they are, by one pass: of a folder of a million files none is asked for alone
/// where the file system says in its list what they are.
Result<std::vector<FolderEntry>> listEntries(const std::string& path);

/// Whether the name exists; below a confined folder a link exists, whatever its target.
bool exists(const std::string& path);
bool isFolder(const std::string& path);
/// Whether this user may write it, and its disk is writable.
bool isWritable(const std::string& path);
Result<std::uint64_t> fileSize(const std::string& path);

/// Creates the folder and all missing parents.
Result<void> makeFolders(const std::string& path, FileSystem& system = realFileSystem());
/// Deletes a folder with everything in it, or a file; not an error if missing. Follows no links.
Result<void> removeTree(const std::string& path, FileSystem& system = realFileSystem());
/// Properties of a copied file.
struct CopiedBytes
{
    std::uint32_t crc = 0; ///< CRC32C
    std::uint64_t size = 0;
};
/// Copies one file, atomically and synced.
Result<CopiedBytes> copyFile(const std::string& from, const std::string& to,
                             FileSystem& system = realFileSystem());

/// "a" + "b" = "a/b"; an absolute second part or an empty first one: the second part alone.
std::string joinPath(std::string_view folder, std::string_view name);
/// "a/b/c" → "a/b"; "c" → "."; "/c" → "/".
std::string parentFolder(std::string_view path);
/// "a/b/c" → "c".
std::string baseName(std::string_view path);

} // namespace cannery::storage
