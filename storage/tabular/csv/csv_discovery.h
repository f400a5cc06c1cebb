// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/tabular/csv/csv_block_reader.h"
#include "storage/tabular/csv/csv_dialect.h"

#include <string>
#include <vector>

namespace cannery::storage {

struct CsvOpenOptions
{
    std::vector<std::string> patterns; ///< paths or globs; gzip is recognised by its first bytes
    DialectHints hints; ///< without a header and given names, columns are called c0, c1, …
};

/// The files, their dialect, and warnings about them.
struct CsvDiscovery
{
    CsvFiles files;
    DialectGuess guess;
    std::vector<std::string> warnings; ///< "t.csv:1: column 3 has no name and is ignored"
};

/// Expands globs (sorted by name, as in TensorFlow), detects the dialect from the first file, finds
/// the table in each (see findLayout()) and checks that every file has the same header. Errors: no
/// file, empty file, duplicate names, a different header, more columns than kCsvColumns allows,
/// fewer lines than are to be skipped.
Result<CsvDiscovery> discoverCsv(const CsvOpenOptions& options);

/// The first rows of a table as texts: for detection and previews. What is not valid in the
/// encoding is shown as U+FFFD.
struct RawRows
{
    std::vector<std::vector<std::string>> rows;
    bool isWhole = false; ///< these are all the rows of the table
};

/// Reads at most `maxRows` rows from at most `maxBytes` of text. Malformed rows are skipped.
Result<RawRows> readRawRows(const CsvFiles& files, std::size_t maxRows,
                            std::size_t maxBytes = 4U << 20U);

} // namespace cannery::storage
