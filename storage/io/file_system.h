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
/// Used by one thread. The destructor closes without a word; close() first to hear of errors.
class WritableFile
{
public:
    virtual ~WritableFile() = default;

    virtual Result<void> append(std::span<const std::byte> bytes) = 0;
    /// Hands everything to the system, where other processes see it.
    virtual Result<void> flush() = 0;
    /// Flushes, then waits until the bytes are on the disk.
    virtual Result<void> sync() = 0;
    virtual Result<void> close() = 0;
    /// Bytes in the file after everything appended so far, what was there before included.
    virtual std::uint64_t size() const = 0;

    Result<void> append(std::string_view text) { return append(std::as_bytes(std::span(text))); }
};

/// Everything that changes a disk: the one seam through which all bytes are written, so that tests
/// can count, record and refuse. Errors name the file, the system's reason and the cure.
class FileSystem
{
public:
    virtual ~FileSystem() = default;

    /// A new, empty file; an old one of this name is emptied.
    virtual Result<std::unique_ptr<WritableFile>> create(const std::string& path) = 0;
    /// Goes on at the end of a file, made when there is none.
    virtual Result<std::unique_ptr<WritableFile>> openForAppend(const std::string& path) = 0;
    /// Atomic; replaces a file, but no folder that has something in it.
    virtual Result<void> rename(const std::string& from, const std::string& to) = 0;
    virtual Result<void> removeFile(const std::string& path) = 0;
    /// The folder must be empty.
    virtual Result<void> removeFolder(const std::string& path) = 0;
    /// One folder; AlreadyExists when there is something of this name.
    virtual Result<void> makeFolder(const std::string& path) = 0;
    /// Makes new names and renames in this folder survive a power cut.
    virtual Result<void> syncFolder(const std::string& path) = 0;
};

/// The disk itself. Stateless, for any thread.
FileSystem& realFileSystem();

} // namespace cannery::storage
