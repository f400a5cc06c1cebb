// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/sources/data_source.h"

#include <atomic>

namespace cannery::app {

/// The columns of a table as `cannery convert` reads them: with the types that lose nothing of what
/// the cells hold. `isText`: the source is a text file.
///
/// For CSV, cells are read as the texts that they are; the other sources' fractions stay numbers.
data::TableSchema columnsForCsv(const data::DataSource& source, bool isText);

/// For TFRecord, whose numbers are int64 and float32: numbers that begin with 0 or +, as codes and
/// telephone numbers do, and those beyond float32 are texts, in all rows of their column; fractions
/// are read as float64. One pass over the columns that may hold such numbers, which `stop` ends
/// early.
Result<data::TableSchema> columnsForRecords(const data::DataSource& source, bool isText,
                                            const std::atomic<bool>& stop);

} // namespace cannery::app
