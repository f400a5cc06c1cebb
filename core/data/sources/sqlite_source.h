// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/sources/data_source.h"

#include <string>
#include <vector>

namespace cannery::data {

/// Opens a table, a view or the rows of a SELECT statement of a SQLite database, which other
/// programs may be writing: each pass over its rows is one transaction of its own (see
/// Database::openToRead()). Nothing is written to the file, and nothing stays beside it. Types are
/// inferred as for CSV: a text that is a number counts as one. Errors: a file that is not a
/// database, a table that it lacks, a statement that is not a SELECT or does not run.
Result<std::unique_ptr<DataSource>> openSqliteSource(const spec::DataSource& source,
                                                     const SourceOptions& options);

/// Takes the first: a source has one file.
void setSqliteFiles(spec::DataSource& source, const std::vector<std::string>& files);

/// Whether a file is a SQLite database.
bool isSqlite(const std::string& path);

} // namespace cannery::data
