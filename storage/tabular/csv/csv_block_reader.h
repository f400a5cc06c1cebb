// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/large_memory.h"
#include "core/base/result.h"
#include "storage/tabular/csv/csv_dialect.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::storage {

class CachedFiles;
class TextConversion;

/// Receives the raw bytes of files while they are read, in order.
class ByteObserver
{
public:
    virtual ~ByteObserver() = default;
    virtual void see(std::span<const std::byte> bytes) = 0;
    virtual void endFile() = 0;
};

/// Files of one table, with the same dialect and header.
struct CsvFiles
{
    std::vector<std::string> paths; ///< at least one, in reading order
    CsvDialect dialect;
    std::vector<std::string> columnNames; ///< all columns, in file order
    /// Where the rows begin in each file's decoded text: after its byte order mark, its header and
    /// what is above.
    std::vector<std::size_t> rowsBegin;
    /// The part of them that is already read.
    std::shared_ptr<const CachedFiles> kept;
    /// Of files that are not CSV; null for those that are.
    std::shared_ptr<const TextConversion> conversion;
};

/// Whole records of one file, with the padding that the scanner requires. Reusable.
struct CsvBlock
{
    std::pmr::vector<char> buffer{largeMemory()};
    std::size_t length = 0;
    std::size_t file = 0;
    std::uint64_t firstLine = 1; ///< physical line on which the text begins
    std::uint64_t offset = 0;    ///< of the text in its file's decoded text

    std::string_view text() const;
};

/// Splits files into blocks of whole records, in order, without what is above their rows, in
/// UTF-8 or Latin-1: other encodings are converted first. Reads plain and gzip files with memory
/// for one block (more only for a longer record, at most kCsvRecordBytes). Not thread-safe.
class CsvBlockReader
{
public:
    /// `observer` may be null.
    CsvBlockReader(const CsvFiles& files, std::size_t blockBytes, ByteObserver* observer = nullptr);
    ~CsvBlockReader();
    CsvBlockReader(CsvBlockReader&&) noexcept;
    CsvBlockReader& operator=(CsvBlockReader&&) noexcept;

    /// Fills the block; false at the end of the last file. Errors: an unreadable file, a record
    /// longer than kCsvRecordBytes (possibly an unclosed quote).
    Result<bool> next(CsvBlock& block);

    /// Bytes of text read so far, uncompressed and converted.
    std::uint64_t bytesRead() const;

private:
    class Impl;
    std::unique_ptr<Impl> m_impl;
};

} // namespace cannery::storage
