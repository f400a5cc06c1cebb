// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <string>

namespace cannery::storage {

/// SQLite's shared lock on a database, held by a descriptor of its own. SQLite's own locks belong
/// to the process: they are lost as soon as any part of it closes the same file, such as a reader
/// of its first bytes, and a writer would then change pages under a transaction that reads them.
class ReadingLock
{
public:
    /// For a database on which SQLite holds its shared lock: waits for nothing. Where the file
    /// system has no such locks, SQLite's own have to do.
    static Result<ReadingLock> take(const std::string& path);
    ReadingLock(ReadingLock&& other) noexcept;
    ReadingLock& operator=(ReadingLock&& other) noexcept;
    ~ReadingLock();

private:
    explicit ReadingLock(int descriptor) : m_descriptor(descriptor) {}

    int m_descriptor;
};

} // namespace cannery::storage
