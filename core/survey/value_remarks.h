// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/statistics.h"
#include "core/data/typing/schema.h"
#include "core/spec/experiment.pb.h"
#include "core/survey/remark_list.h"

#include <string>
#include <vector>

namespace cannery::survey {

/// A table and what a pass over its training rows has found.
struct ObservedTable
{
    const spec::Experiment& experiment;
    const std::string& folder; ///< base of its relative paths
    const data::TableSchema& schema;
    const data::TableStatistics& statistics;
};

/// Remarks on what values mean beside their type: numbers that stand for missing ones, cells with
/// several values, words of texts, spellings of one value, vocabulary files without any of a
/// column's values, columns without a name.
std::vector<TableRemark> valueRemarks(const ObservedTable& table);

} // namespace cannery::survey
