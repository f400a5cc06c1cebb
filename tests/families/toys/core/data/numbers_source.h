// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/data_source.h"

#include <string>
#include <vector>

namespace cannery::data {

/// Opens a file of whole numbers with spaces between them. Errors: a file that cannot be read,
/// "data.whole_numbers" of a line that holds anything else than one number for each column.
Result<std::unique_ptr<DataSource>> openNumbersSource(const spec::DataSource& source,
                                                      const SourceOptions& options);

void setNumbersFiles(spec::DataSource& source, const std::vector<std::string>& files);

} // namespace cannery::data
