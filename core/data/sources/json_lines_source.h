// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/sources/data_source.h"
#include "storage/tabular/json_cells.h"

#include <string>
#include <vector>

namespace cannery::data {

/// Opens files of JSON objects, one per row: usually one in a line, but also over several lines,
/// and in one array. Their names are the columns (those of a nested object with a point between),
/// in order of appearance among the first 16 MiB; a name that an object lacks is a missing cell.
/// Numbers and texts are typed as the cells of a CSV file (jsonColumns()); an array is a cell with
/// several values.
/// Errors: a file without objects, lines that are none (unless bad rows are skipped).
Result<std::unique_ptr<DataSource>> openJsonLinesSource(const spec::DataSource& source,
                                                        const SourceOptions& options);

void setJsonLinesFiles(spec::DataSource& source, const std::vector<std::string>& files);

/// How columns of these names write numbers and arrays of JSON: with the decimal mark of their
/// notation and the separator at which the experiment splits them. So a number is a number whatever
/// the notation of texts. `decimalMark`: of columns without a notation of their own.
storage::JsonColumns jsonColumns(const SourceOptions& options,
                                 const std::vector<std::string>& names, char decimalMark);

std::vector<std::string> jsonLinesMissingTokens(const spec::DataSource& source);

/// Whether a file begins with JSON objects that are rows.
bool isJsonLines(const std::string& path);

} // namespace cannery::data
