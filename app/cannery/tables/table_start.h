// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/advice/starting_experiment.h"
#include "core/base/result.h"
#include "core/data/sources/data_source.h"
#include "core/data/statistics.h"

#include <string>
#include <vector>

namespace cannery::app {

/// What `cannery new` was asked for, and has seen of the table. Valid as long as what it refers to.
struct TableStart
{
    const data::TableSchema& schema;
    const data::TableStatistics& statistics;
    const std::string& label; ///< empty: clusters are to be found
    std::string estimator;    ///< empty: whichever suits
    const std::vector<std::string>& leaveOut;
    std::string dateOrder; ///< of --dates; empty if not given
};

/// Everything of a new experiment but its model: several passes over the table, for the values of
/// the label, dates and columns that give the label away, which are warned of.
Result<advice::StartingExperiment> startFrom(const data::DataSource& source,
                                             const TableStart& wanted);

} // namespace cannery::app
