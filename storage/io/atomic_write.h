// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/io/file_system.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace cannery::storage {

/// A file that appears complete or not at all: written next to its destination under a temporary
/// name; commit() syncs it, renames it into place and syncs the folder. Without commit() the
/// temporary is deleted and the previous file stays. Used by one thread.
class AtomicFile
{
public:
    static Result<AtomicFile> create(const std::string& path,
                                     FileSystem& system = realFileSystem());
    AtomicFile(AtomicFile&& other) noexcept;
    AtomicFile& operator=(AtomicFile&&) = delete;
    ~AtomicFile();

    Result<void> append(std::span<const std::byte> bytes);
    Result<void> append(std::string_view text) { return append(std::as_bytes(std::span(text))); }
    std::uint64_t size() const { return m_file->size(); }

    /// Permissions of the published file; ignored on file systems without them.
    void setPermissions(std::filesystem::perms permissions);

    /// Writes the bytes to disk without publishing them, so commit() cannot run out of space.
    /// Nothing may be appended afterwards.
    Result<void> prepare();
    /// Publishes the file, prepared or not. At most once.
    Result<void> commit();

private:
    AtomicFile(FileSystem& system, std::string path, std::string temporary,
               std::unique_ptr<WritableFile> file);

    FileSystem* m_system;
    std::string m_path;
    std::string m_temporary; ///< empty if there is nothing to delete
    std::unique_ptr<WritableFile> m_file;
    bool m_isPrepared = false;
};

/// The same in one call.
Result<void> writeFileAtomically(const std::string& path, std::string_view content,
                                 FileSystem& system = realFileSystem());

/// writeFileAtomically() for a user's own file: a link stays a link, and its target is replaced and
/// keeps its permissions.
Result<void> replaceFile(const std::string& path, std::string_view content);

/// A name next to `path` that no other process or call uses: "<path>.tmp-<pid>-<n>".
std::string temporaryName(const std::string& path);

/// The process that made such a name; nothing for any other name.
std::optional<int> ownerOfTemporary(std::string_view name);

/// Deletes what processes that no longer exist have left behind of writing this file.
void removeAbandoned(const std::string& path, FileSystem& system = realFileSystem());

} // namespace cannery::storage
