// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/sources/data_source.h"
#include "storage/tabular/record_conversion.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// Text files in formats of their own (JSON lines, ARFF, LIBSVM): they are rewritten as CSV while
/// they are read, so their cells are typed, checked, browsed and skipped as those of CSV files.
namespace cannery::data {

/// A table of such files.
struct ConvertedTable
{
    std::vector<std::string> paths; ///< at least one
    std::vector<std::string> names; ///< of the columns, all different
    storage::RecordConversion::Make make;
    std::vector<std::string> missingTokens; ///< of every column
    /// What the files say about their columns, applied to what was inferred; may be empty.
    std::function<void(TableSchema&)> declare;
};

/// Opens it. Lines in errors and chunks are those of the files. Errors: as those of CSV files, two
/// columns of the same name, and "csv.bad_record" for a record that cannot be converted.
Result<std::unique_ptr<DataSource>> openConverted(ConvertedTable table,
                                                  const SourceOptions& options);

/// The files that paths and globs name, below the folder of the options.
Result<std::vector<std::string>> textFiles(const std::vector<std::string>& files,
                                           const SourceOptions& options);

/// The beginning of a file's text, decompressed, decoded and without a byte order mark, at most so
/// many bytes. Errors: an unreadable file, one that is not a text.
Result<std::string> startOfText(const std::string& path, std::size_t bytes);

/// Gives every piece of a file's text to `see`, each with whole lines; false ends it.
Result<void> seeLines(const std::string& path, const std::function<bool(std::string_view)>& see);

} // namespace cannery::data
