// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/features/encoded_rows.h"
#include "core/features/row_file.pb.h"
#include "storage/io/atomic_write.h"
#include "storage/io/file_system.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace cannery::features {

/// Reads a file of encoded rows, which may be damaged or of another program. One thread. Errors:
/// NotFound; "features.row_file_foreign" if the file holds something else;
/// "features.row_file_damaged" (DataLoss); "base.interrupted".
class RowFileReader
{
public:
    /// Reads the header.
    static Result<RowFileReader> open(const std::string& path);
    RowFileReader(RowFileReader&&) noexcept;
    RowFileReader& operator=(RowFileReader&&) noexcept;
    ~RowFileReader();

    const RowFileHeader& header() const;
    /// The next block of rows. They must be rows of this layout: the counts fit, no id is beyond
    /// its slot's buckets, and in the slots `sequences` a row has as many steps.
    Result<void> next(const InputLayout& layout, std::span<const int> sequences, EncodedRows& out);
    /// Reads the next block for its checksum alone; its number of rows.
    Result<std::int64_t> skip();

private:
    struct State;
    explicit RowFileReader(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

/// Reads a whole file of encoded rows; the errors are those of RowFileReader.
Result<void> verifyRowFile(const std::string& path);

/// Writes a file of encoded rows, which appears whole or not at all. One thread.
class RowFileWriter
{
public:
    /// Creates missing folders and deletes what killed processes left behind. `header`: without its
    /// magic.
    static Result<RowFileWriter> create(const std::string& path, RowFileHeader header,
                                        storage::FileSystem& system);

    /// Adds a block of rows.
    Result<void> append(const EncodedRows& rows);
    Result<void> commit() { return m_file.commit(); }

private:
    explicit RowFileWriter(storage::AtomicFile file) : m_file(std::move(file)) {}

    storage::AtomicFile m_file;
};

} // namespace cannery::features
