// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/sources/data_source.h"

#include <optional>
#include <string>
#include <vector>

namespace cannery::advice {

/// Rows that sum up rows above them, as reports have them.
struct TotalRows
{
    std::string text;   ///< what the last row's line begins with, and no other row's; or empty
    std::string remark; ///< "the last row, Total, holds the sum of units, sales"
    std::vector<std::string> notes; ///< on rows within the table that sum up those above them
};

/// The totals of a table of text whose rows were all seen when it was opened. The last row is one
/// if its first cell that is not empty is called so and some number of it is the sum or the mean of
/// those above, or if all its numbers are sums. A row within the table is one if it is called so,
/// and some number of it sums up those since the row before that is. Takes a pass over the table.
/// Errors: those of reading.
Result<TotalRows> findTotalRows(const data::DataSource& source);

} // namespace cannery::advice
