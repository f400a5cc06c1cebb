// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/statistics.h"
#include "core/data/typing/schema.h"

namespace cannery::data {

/// Corrects the kinds of columns that were guessed by the first rows of a longer table and that the
/// statistics of all its rows contradict. Changes nothing if all rows were seen.
void reviseKinds(const TableStatistics& statistics, TableSchema& schema);

} // namespace cannery::data
