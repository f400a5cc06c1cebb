// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace cannery::storage {

/// A file being written. Bytes reach the system at the latest with flush(), the disk with sync().
/// Used by one thread. The destructor closes silently; call close() first to get errors.
class WritableFile
{
public:
    virtual ~WritableFile() = default;

    virtual Result<void> append(std::span<const std::byte> bytes) = 0;
    /// Passes everything to the system, so other processes can see it.
    virtual Result<void> flush() = 0;
    /// Flushes, then waits until the bytes are on the disk.
    virtual Result<void> sync() = 0;
    virtual Result<void> close() = 0;
    /// Size of the file after everything appended so far, including previous content.
    virtual std::uint64_t size() const = 0;

    Result<void> append(std::string_view text) { return append(std::as_bytes(std::span(text))); }
};

/// Everything that changes a disk: the one interface through which all bytes are written, so that
/// tests can count, record and inject failures. Errors name the file, the system's reason and the
/// cure.
class FileSystem
{
public:
    virtual ~FileSystem() = default;

    /// A new, empty file; an existing one is truncated.
    virtual Result<std::unique_ptr<WritableFile>> create(const std::string& path) = 0;
    /// Continues at the end of a file, which is created if missing.
    virtual Result<std::unique_ptr<WritableFile>> openForAppend(const std::string& path) = 0;
    /// Atomic; replaces a file, but not a non-empty folder.
    virtual Result<void> rename(const std::string& from, const std::string& to) = 0;
    virtual Result<void> removeFile(const std::string& path) = 0;
    /// The folder must be empty.
    virtual Result<void> removeFolder(const std::string& path) = 0;
    /// One folder; AlreadyExists if the name is taken.
    virtual Result<void> makeFolder(const std::string& path) = 0;
    /// Makes new names and renames in this folder survive a power failure.
    virtual Result<void> syncFolder(const std::string& path) = 0;
};

/// The actual disk. Stateless, thread-safe.
FileSystem& realFileSystem();

} // namespace cannery::storage
