// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/rows/row_reader.h"
#include "core/data/sources/example_parser.h"
#include "core/data/sources/record_files.h"

#include <memory>
#include <vector>

namespace cannery::data {

/// Reads single rows again. `columns`: those of the pass that found the offsets, so that the same
/// records are left out. Plain files are read in place; in compressed ones, rows before those read
/// last cost a pass from the beginning. The files must outlive it.
std::unique_ptr<RowReader> exampleRows(const RecordFiles& files,
                                       std::vector<ExampleColumn> columns);

} // namespace cannery::data
