// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/advice/leak_finder.h"
#include "core/data/dataset.h"
#include "core/data/rows/duplicate_rows.h"
#include "core/data/statistics.h"
#include "core/spec/experiment.pb.h"
#include "core/survey/remark_list.h"

#include <string>
#include <vector>

namespace cannery::survey {

/// The times in a column of dates.
struct ColumnTimes
{
    std::string column;
    /// The first, the hundredths and the last, in ISO 8601: 101 in all.
    std::vector<std::string> quantiles;
};

/// What a pass over all rows has found.
struct RowFindings
{
    const data::TableStatistics* statistics = nullptr; ///< of the training rows
    std::vector<advice::Leak> leaks;
    data::DuplicateRows::Found twins;
    std::vector<ColumnTimes> times;
};

/// The columns that the model reads as features of the same name.
std::vector<std::string> plainFeatures(const spec::Experiment& experiment,
                                       const data::Dataset& trainData);

/// Whether the label is one of several classes.
bool isClassified(const spec::Experiment& experiment);

/// Remarks on the columns that the model reads, on its label and on the split, the gravest first;
/// columns with the same problem share one. Without `rows`, only those from opening the table.
std::vector<TableRemark> tableRemarks(const spec::Experiment& experiment,
                                      const data::Dataset& trainData,
                                      const RowFindings* rows = nullptr);

} // namespace cannery::survey
