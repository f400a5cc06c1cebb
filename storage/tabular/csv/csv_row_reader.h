// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/io/file_stamp.h"
#include "storage/tabular/csv/csv_block_reader.h"
#include "storage/tabular/csv/csv_parser.h"
#include "storage/tabular/text_spool.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace cannery::storage {

/// Bytes [begin, end) of the decoded text of a file; records begin at both.
struct TextRange
{
    std::size_t file = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;

    bool operator==(const TextRange&) const = default;
};

/// Reads single rows of a table again, by the offsets that an earlier pass has found. The text of
/// compressed and converted files is kept in temporary files (see TextSpool); other files are read
/// in place. Thread-safe.
class CsvRowReader
{
public:
    /// `columns`: those of the earlier pass, so that the same bad rows are left out.
    CsvRowReader(CsvFiles files, std::vector<CsvColumn> columns);
    ~CsvRowReader();

    /// The cells of all columns of each row, as texts in UTF-8. Errors: unreadable files, a file
    /// that has changed since this object was made.
    Result<std::vector<std::vector<std::string>>> read(const TextRange& range) const;
    /// The record at an offset, printable; only the beginning of a long one.
    Result<std::string> recordAt(std::size_t file, std::uint64_t offset) const;
    /// The cells of the record at an offset, however many; none if it cannot be cut into cells. A
    /// cell that is not valid in the encoding is empty.
    Result<std::vector<std::string>> cellsAt(std::size_t file, std::uint64_t offset) const;
    /// Makes read() fast for text before `end`.
    Result<void> reach(std::size_t file, std::uint64_t end) const;

private:
    struct Opened;

    Result<Opened*> open(std::size_t file) const;
    Result<std::size_t> readText(const TextRange& range, std::span<char> room) const;
    /// The record at an offset, or its first `most` bytes, and whether that is all of it.
    Result<std::pair<std::string, bool>> textAt(std::size_t file, std::uint64_t offset,
                                                std::size_t most) const;
    std::string shown(std::string_view cell) const;

    CsvFiles m_files;
    std::vector<CsvColumn> m_columns;
    std::vector<std::optional<FileStamp>> m_stamps;
    mutable std::mutex m_mutex; ///< guards the following
    mutable std::vector<std::unique_ptr<Opened>> m_opened;
};

} // namespace cannery::storage
