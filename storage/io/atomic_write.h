// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/io/file_system.h"

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace cannery::storage {

/// A file that appears whole or not at all: written beside its place under a temporary name, and
/// with commit() synced, renamed into place, and the folder synced. Without commit() the temporary
/// is deleted and what was there before stays. Used by one thread.
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

    /// Of the file when it appears; where a disk has none it stays as it is made.
    void setPermissions(std::filesystem::perms permissions);

    /// Brings the bytes onto the disk without publishing them; commit() cannot run out of space
    /// afterwards. Nothing may be appended after it.
    Result<void> prepare();
    /// Publishes the file, prepared before or not. At most once.
    Result<void> commit();

private:
    AtomicFile(FileSystem& system, std::string path, std::string temporary,
               std::unique_ptr<WritableFile> file);

    FileSystem* m_system;
    std::string m_path;
    std::string m_temporary; ///< empty when there is nothing to delete
    std::unique_ptr<WritableFile> m_file;
    bool m_isPrepared = false;
};

/// The same in one call.
Result<void> writeFileAtomically(const std::string& path, std::string_view content,
                                 FileSystem& system = realFileSystem());

/// writeFileAtomically() for a file that is a person's: a link stays a link, and what it points to
/// is replaced, with the permissions that it had.
Result<void> replaceFile(const std::string& path, std::string_view content);

/// A name beside `path` that no other process or call uses now: "<path>.tmp-<pid>-<n>".
std::string temporaryName(const std::string& path);

} // namespace cannery::storage
