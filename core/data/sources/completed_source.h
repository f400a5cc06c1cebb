// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/sources/data_source.h"

#include <memory>
#include <vector>

namespace cannery::data {

/// A source with more columns than its files have: they are missing in every row. `absent`: how
/// they would be read; their names are not those of the source.
std::unique_ptr<DataSource> completedSource(std::unique_ptr<DataSource> source,
                                            std::vector<ColumnSchema> absent);

} // namespace cannery::data
