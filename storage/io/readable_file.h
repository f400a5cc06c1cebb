// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace cannery::storage {

/// An open file that can be read at any offset; it may grow meanwhile. Reading is thread-safe.
class ReadableFile
{
public:
    /// Only a regular file, or standard input: see openToRead().
    static Result<ReadableFile> open(const std::string& path);
    ReadableFile(ReadableFile&& other) noexcept;
    ReadableFile& operator=(ReadableFile&& other) noexcept;
    ~ReadableFile();

    const std::string& path() const { return m_path; }
    /// The current size.
    Result<std::uint64_t> size() const;
    /// Reads until the span is full or the file ends; returns the number of bytes read.
    Result<std::size_t> readAt(std::uint64_t offset, std::span<std::byte> bytes) const;
    /// The same from where the last sequential read ended, also for pipes; ends early if the work
    /// is interrupted.
    Result<std::size_t> readNext(std::span<std::byte> bytes);

private:
    ReadableFile(int descriptor, std::string path);

    int m_descriptor;
    std::string m_path;
};

} // namespace cannery::storage
