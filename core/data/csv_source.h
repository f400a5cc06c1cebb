// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/data_source.h"

#include <string>
#include <vector>

namespace cannery::data {

/// Opens CSV and TSV files (plain or gzip, paths or globs): detects what the message leaves open,
/// reads the header, and infers the columns that neither `options.columns` nor `options.like`
/// settles. Errors: files that cannot be read, bad rows among those looked at (unless they are
/// skipped), a described column that the files do not have.
Result<std::unique_ptr<DataSource>> openCsvSource(const spec::DataSource& source,
                                                  const SourceOptions& options);

void setCsvFiles(spec::DataSource& source, const std::vector<std::string>& files);

} // namespace cannery::data
