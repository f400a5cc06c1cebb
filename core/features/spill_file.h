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

/// An unnamed file that only grows: it takes disk space while it is open and disappears with the
/// process, however that ends.
class SpillFile
{
public:
    /// In a folder (empty: the system's for temporary files). Errors: "features.spill", with the
    /// system's reason as a note.
    static Result<SpillFile> create(const std::string& folder, storage::FileSystem& system);
    SpillFile(SpillFile&& other) noexcept;
    SpillFile& operator=(SpillFile&&) = delete;
    ~SpillFile();

    /// Appends bytes at an offset that can be mapped; returns the offset.
    Result<std::uint64_t> append(std::span<const std::span<const std::byte>> parts);
    /// Reads appended bytes. Thread-safe.
    Result<void> read(std::uint64_t offset, std::span<std::byte> bytes) const;
    /// Maps the same bytes into the address space for the lifetime of this object; nullptr if the
    /// system has no room. `offset` as returned by append(). What was read through it is valid only
    /// if checkMappings() succeeds.
    const std::byte* map(std::uint64_t offset, std::size_t size);
    /// An error if the disk could not supply something that was read through map(). Thread-safe.
    Result<void> checkMappings() const;

private:
    SpillFile(std::unique_ptr<storage::WritableFile> file, int descriptor, std::string path)
        : m_file(std::move(file)), m_descriptor(descriptor), m_path(std::move(path))
    {}

    std::unique_ptr<storage::WritableFile> m_file;
    int m_descriptor;
    std::string m_path;
    std::vector<storage::GuardedMapping> m_mappings;
};

} // namespace cannery::features
