// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace cannery::storage {

/// A limit on reading a table: a setting of the process, by an environment variable that the error
/// names. A value that is not a number counts as unset; one out of range is clamped.
struct CsvLimit
{
    const char* variable;
    std::size_t standard;
    std::size_t least;
    std::size_t most;

    /// Reads the environment each time.
    std::size_t value() const;
};

/// Bytes of one record with its line ends. At least a block, at most what offsets can represent.
inline constexpr CsvLimit kCsvRecordBytes{"CANNERY_CSV_RECORD_BYTES", std::size_t{64} << 20U,
                                          std::size_t{1} << 20U, (std::size_t{1} << 30U) - 1};
/// Columns of a table.
inline constexpr CsvLimit kCsvColumns{"CANNERY_CSV_COLUMNS", 65536, 1, std::size_t{16} << 20U};
/// Bytes of one cell. Cells shorter than the smallest limit are not even checked.
inline constexpr CsvLimit kCsvCellBytes{"CANNERY_CSV_CELL_BYTES", std::size_t{16} << 20U,
                                        std::size_t{4} << 10U, (std::size_t{1} << 30U) - 1};

} // namespace cannery::storage
