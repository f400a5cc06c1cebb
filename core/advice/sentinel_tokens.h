// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/advice/cell_values.h"
#include "core/base/result.h"
#include "core/data/sources/data_source.h"
#include "core/data/statistics.h"
#include "core/spec/data.pb.h"

#include <string>
#include <vector>

namespace cannery::advice {

struct StartingExperiment;

/// A number of a column that stands for a missing one.
struct ColumnSentinel
{
    std::string column;
    Sentinel sentinel;
    std::vector<std::string> spellings; ///< in the cells: "-200", "-200.0"
};

/// The sentinels of the table's columns, but for the label's. `statistics`: of all columns. Takes a
/// pass over the columns that have one. Errors: those of reading.
Result<std::vector<ColumnSentinel>> surveySentinels(const data::DataSource& source,
                                                    const data::TableStatistics& statistics,
                                                    const std::string& label);

/// Makes those missing that are certain, in what an experiment says about its columns; whether
/// there are any.
bool addMissingTokens(const std::vector<ColumnSentinel>& sentinels,
                      std::vector<spec::Column>& columns);

/// Says what was made missing, and what might have to be.
void noteSentinels(const std::vector<ColumnSentinel>& sentinels, StartingExperiment& result);

/// Says which columns have values but no name.
void noteUnnamed(const data::TableSchema& schema, StartingExperiment& result);

} // namespace cannery::advice
