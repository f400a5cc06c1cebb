// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/sources/data_source.h"

#include <string>
#include <vector>

namespace cannery::data {

/// Opens files of fixed width (storage/tabular/fixed_width_text.h). Columns begin where the message
/// says, or else where every line of the first file has a blank, for which it is read once before;
/// the first line names them if it is a header. Errors: no such columns, places that do not ascend,
/// a text that crosses the beginning of a column (unless bad rows are skipped).
Result<std::unique_ptr<DataSource>> openFixedWidthSource(const spec::DataSource& source,
                                                         const SourceOptions& options);

void setFixedWidthFiles(spec::DataSource& source, const std::vector<std::string>& files);

/// Whether a file begins as a table of fixed width, and has no delimiter.
bool isFixedWidth(const std::string& path);

/// Sets where columns begin, and whether there is a header, as its first file says.
void describeFixedWidth(spec::DataSource& source);

} // namespace cannery::data
