// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/io/file_system.h"
#include "storage/io/guarded_mapping.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace cannery::features {

/// A file without a name that only grows: it takes disk space as long as it is open and is gone
/// with the process, however that ends.
class RowCacheFile
{
public:
    /// In a folder (empty: the system's for temporary files). Errors: "features.cache", with the
    /// system's reason as a note.
    static Result<RowCacheFile> create(const std::string& folder, storage::FileSystem& system);
    RowCacheFile(RowCacheFile&& other) noexcept;
    RowCacheFile& operator=(RowCacheFile&&) = delete;
    ~RowCacheFile();

    /// Adds bytes at a place that can be mapped; where they are.
    Result<std::uint64_t> append(std::span<const std::span<const std::byte>> parts);
    /// Reads bytes that were appended. Safe from several threads.
    Result<void> read(std::uint64_t offset, std::span<std::byte> bytes) const;
    /// The same bytes in the address space for as long as this lives, or nullptr when the system
    /// has no room. `offset` as append() gave it. What was read there counts when checkMappings()
    /// has said so.
    const std::byte* map(std::uint64_t offset, std::size_t size);
    /// An error when the disk could not give something that was read through map(). Safe from
    /// several threads.
    Result<void> checkMappings() const;

private:
    RowCacheFile(std::unique_ptr<storage::WritableFile> file, int descriptor, std::string path)
        : m_file(std::move(file)), m_descriptor(descriptor), m_path(std::move(path))
    {}

    std::unique_ptr<storage::WritableFile> m_file;
    int m_descriptor;
    std::string m_path;
    std::vector<storage::GuardedMapping> m_mappings;
};

} // namespace cannery::features
