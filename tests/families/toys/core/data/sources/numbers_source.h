// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/sources/data_source.h"

#include <string>
#include <vector>

namespace cannery::data {

/// Opens a file of integers separated by spaces. Errors: an unreadable file, "data.whole_numbers"
/// for a line that contains anything but one number per column.
Result<std::unique_ptr<DataSource>> openNumbersSource(const spec::DataSource& source,
                                                      const SourceOptions& options);

void setNumbersFiles(spec::DataSource& source, const std::vector<std::string>& files);

} // namespace cannery::data
