// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/tabular/cell_table.h"
#include "storage/tabular/csv/csv_dialect.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::storage {

/// A record of a sample, by offsets in its text.
struct SampleRecord
{
    std::size_t begin = 0;
    std::size_t end = 0;  ///< of its text, without the line end
    std::size_t next = 0; ///< after its line end
    std::size_t fields = 0;
};

/// The whole records of a sample, whatever their number of fields, but for lines that are empty or
/// consist of delimiters; at most `most`. The text needs the padding of scanCells().
std::vector<SampleRecord> recordsOf(std::string_view text, bool isWhole, const CsvDialect& dialect,
                                    std::size_t most = 20'000);

/// The number of fields that most records have, from the `from`-th on; of equally frequent ones
/// that of the first record, unless it has one field only. 0: there is no record.
std::size_t usualWidth(const std::vector<SampleRecord>& records, std::size_t from);

/// How many records from the `from`-th on have this number of fields.
std::size_t countOfWidth(const std::vector<SampleRecord>& records, std::size_t from,
                         std::size_t fields);

/// The cells of one record; none if there are more than kCsvColumns allows.
std::vector<std::string> cellsOf(std::string_view record, const CsvDialect& dialect);

/// The cells of at most `most` records from the `first`-th on, of those with `columns` fields.
CellTable rowsOf(std::string_view text, const std::vector<SampleRecord>& records, std::size_t first,
                 std::size_t columns, const CsvDialect& dialect, std::size_t most = 200);

} // namespace cannery::storage
