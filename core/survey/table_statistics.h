// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/sources/data_source.h"
#include "core/data/statistics.h"

#include <string>

namespace cannery::survey {

/// What one pass over a table has found.
struct TableFindings
{
    data::TableStatistics statistics; ///< of every column
    data::ReadReport report;          ///< with the rows that cannot be read, if they are left out
};

/// Statistics of every column; with the most frequent values, of the label (which may
/// be empty) as many as a vocabulary holds even in a wide table.
Result<TableFindings> statisticsWithLabel(const data::DataSource& source, const std::string& label);

/// Statistics of a column read as text, whatever it looks like; nothing of no column.
Result<data::ColumnStatistics> textsOf(const data::DataSource& source, const std::string& column);

} // namespace cannery::survey
