// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/statistics.h"
#include "core/data/typing/schema.h"
#include "core/spec/data.pb.h"
#include "core/survey/remark_list.h"

#include <optional>
#include <string>
#include <vector>

namespace cannery::survey {

/// The rows that an experiment reads, and where its training source is.
struct DescribedRows
{
    const spec::DataSource& source;
    const std::string& folder; ///< base of its relative paths
    const data::TableSchema& table;
    const data::TableStatistics& train;
    const std::optional<data::TableStatistics>& eval; ///< nothing without evaluation rows
};

/// What the rows contradict in the schema.pbtxt of their source, as `cannery validate` finds it,
/// one for each feature, with the line of the schema. None without a schema. Errors: those of
/// reading it.
Result<std::vector<TableRemark>> schemaRemarks(const DescribedRows& rows);

} // namespace cannery::survey
