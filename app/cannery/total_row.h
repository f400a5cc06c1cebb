// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/data_source.h"

#include <optional>
#include <string>

namespace cannery::app {

/// A last row that sums up the rows above it, as reports end with.
struct TotalRow
{
    std::string text;   ///< what its line begins with, and no other row's
    std::string remark; ///< "the last row, Total, holds the sum of units, sales"
};

/// The total of a table of text whose rows were all seen when it was opened: its first cell is
/// called so and some number of it is the sum or the mean of those above, or all its numbers are
/// sums. Takes a pass over the table. Errors: those of reading.
Result<std::optional<TotalRow>> findTotalRow(const data::DataSource& source);

} // namespace cannery::app
