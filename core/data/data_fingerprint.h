// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/tabular/csv_block_reader.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace cannery::data {

/// A hash of the contents of some files in their order, taken while they are read. Names and times
/// do not count: a copy of a table has the same fingerprint.
class DataFingerprint final : public storage::ByteObserver
{
public:
    void see(std::span<const std::byte> bytes) override;
    void endFile() override;

    /// Files that have ended.
    std::size_t files() const { return m_files; }
    /// Of these: 16 hexadecimal digits.
    std::string text() const;

private:
    void add(std::span<const std::byte> block);

    std::string m_block; ///< what is not hashed yet, less than a block
    std::uint64_t m_print = 0;
    std::uint64_t m_size = 0; ///< of the file at hand
    std::size_t m_files = 0;
};

/// The fingerprint of files by a pass of its own.
Result<std::string> fingerprintOf(const storage::CsvFiles& files);

} // namespace cannery::data
