// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/sources/data_source.h"
#include "storage/tabular/csv/csv_block_reader.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cannery::data {

/// Opens CSV and TSV files (plain or gzip, paths or globs): detects what the message leaves unset,
/// reads the header, and infers the columns that neither `options.columns` nor `options.like`
/// specifies. Errors: unreadable files, bad rows among those inspected (unless bad rows are
/// skipped), a described column that the files lack.
Result<std::unique_ptr<DataSource>> openCsvSource(const spec::DataSource& source,
                                                  const SourceOptions& options);

void setCsvFiles(spec::DataSource& source, const std::vector<std::string>& files);

/// A value of its field `encoding` for a file that is not in UTF-8; empty: unset is right, or
/// unknown.
std::string csvEncodingOf(const std::string& path);

/// The encoding that a value of that field means.
storage::TextEncoding encodingOf(spec::TextEncoding::Name encoding);

std::vector<std::string> csvMissingTokens(const spec::DataSource& source);

/// The decimal mark of its numbers; a point for other sources.
char csvDecimalMark(const spec::DataSource& source);

/// The columns of files whose structure is known, settled by the options or inferred from their
/// cells. `tokens`: missing ones of every column. `declare`: what the files themselves say about
/// their columns, applied to what was inferred; may be empty. Errors: as openCsvSource().
Result<TableSchema> textSchema(const storage::CsvFiles& files,
                               const std::vector<std::string>& tokens, const SourceOptions& options,
                               const std::function<void(TableSchema&)>& declare);

/// The table of such files.
std::unique_ptr<DataSource> textSource(storage::CsvFiles files, TableSchema schema,
                                       spec::BadRows::Policy badRows,
                                       std::vector<SourceSetting> settings);

} // namespace cannery::data
