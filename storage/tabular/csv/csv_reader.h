// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/lent_threads.h"
#include "core/base/result.h"
#include "storage/tabular/csv/csv_block_reader.h"
#include "storage/tabular/csv/csv_errors.h"
#include "storage/tabular/csv/csv_parser.h"
#include "storage/tabular/table_chunk.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cannery::storage {

/// What to do with a row that cannot be read.
enum class BadRowPolicy
{
    Fail, ///< stop with an error that names file, line and text
    Skip, ///< skip the row and count it
};

/// What reading has found so far.
struct CsvReport
{
    std::uint64_t rows = 0;
    std::uint64_t badRowCount = 0;
    std::vector<BadRow> badRows; ///< the first CsvReadOptions::maxBadRows
    ParseWarnings warnings;
    std::size_t outOfRangeFile = 0;    ///< the file of warnings.firstOutOfRangeLine
    std::uint64_t repeatedHeaders = 0; ///< lines like the header between the rows
    // After the last row:
    std::uint64_t linesBelow = 0;     ///< lines below the table that are not rows
    std::vector<std::string> remarks; ///< about these and the repeated headers
};

struct CsvReadOptions
{
    std::vector<CsvColumn> columns; ///< only these are parsed
    BadRowPolicy badRows = BadRowPolicy::Fail;
    bool keepLines = false;             ///< fill TableChunk::lines
    bool keepOffsets = false;           ///< fill TableChunk::offsets and textEnd
    std::size_t maxBadRows = 100;       ///< to describe in the report; all are counted
    std::size_t blockBytes = 1U << 20U; ///< text parsed at a time
    LentThreads threads;              ///< parse several blocks at once; used until the last next()
    std::uint64_t maxRows = 0;        ///< stop after about this many rows; 0: all
    ByteObserver* observer = nullptr; ///< receives the files' bytes, on any of the threads
};

/// Reads the files of a table as typed chunks in file order, with memory bounded by a few blocks.
/// Chunks are the same for any number of threads. Not thread-safe itself.
class CsvReader
{
public:
    CsvReader(CsvFiles files, CsvReadOptions options);
    ~CsvReader();
    CsvReader(CsvReader&&) noexcept;
    CsvReader& operator=(CsvReader&&) noexcept;

    /// The next chunk (at least one row), or nothing at the end of the last file. With Fail, the
    /// first bad row ends reading; the error's notes list others found within the next 64 MiB.
    /// After any error nothing more is read: the same error is returned again.
    Result<std::optional<TableChunk>> next();

    const CsvReport& report() const;

private:
    class Impl;
    std::unique_ptr<Impl> m_impl;
};

} // namespace cannery::storage
