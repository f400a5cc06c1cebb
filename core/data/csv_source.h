// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/data_source.h"

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

std::vector<std::string> csvMissingTokens(const spec::DataSource& source);

} // namespace cannery::data
