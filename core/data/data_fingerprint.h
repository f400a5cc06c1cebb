// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/tabular/csv/csv_block_reader.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace cannery::storage {
class CachedFiles;
} // namespace cannery::storage

namespace cannery::data {

/// A hash of the contents of several files, in order, computed while they are read. Names and times
/// are not included: a copy of a table has the same fingerprint.
class DataFingerprint final : public storage::ByteObserver
{
public:
    void see(std::span<const std::byte> bytes) override;
    void endFile() override;

    /// Files that have been read completely.
    std::size_t files() const { return m_files; }
    /// Over those files: 16 hexadecimal digits.
    std::string text() const;

private:
    void add(std::span<const std::byte> block);

    std::string m_block; ///< bytes not hashed yet, less than a block
    std::uint64_t m_print = 0;
    std::uint64_t m_size = 0; ///< of the current file
    std::size_t m_files = 0;
};

/// The fingerprint of files, computed in a separate pass.
Result<std::string> fingerprintOf(const storage::CachedFiles& kept, std::size_t files);

} // namespace cannery::data
