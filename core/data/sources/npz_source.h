// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/sources/data_source.h"

#include <string>
#include <vector>

namespace cannery::data {

/// Opens NumPy archives (stored or deflated). The first dimension of every array is the example: an
/// array of one dimension is a column with its name, one of two dimensions a column "name_0",
/// "name_1", … for each place of its second dimension. An array without dimensions is left out,
/// with a warning. Errors: arrays of different lengths, of more dimensions, and those that
/// parseNpyHeader() refuses.
Result<std::unique_ptr<DataSource>> openNpzSource(const spec::DataSource& source,
                                                  const SourceOptions& options);

void setNpzFiles(spec::DataSource& source, const std::vector<std::string>& files);

/// Whether a file is a zip archive of NumPy arrays.
bool isNpz(const std::string& path);

} // namespace cannery::data
