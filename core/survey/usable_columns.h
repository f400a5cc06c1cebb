// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"
#include "core/reports/preview.pb.h"
#include "core/reports/report_list.h"

#include <filesystem>
#include <string>
#include <vector>

namespace cannery::spec {
class Experiment;
} // namespace cannery::spec

namespace cannery::survey {

/// A feature column that cannot be made, such as one whose vocabulary file is missing.
struct ColumnProblem
{
    std::string column; ///< as the estimator names it
    Error error;
};

/// Takes those columns out of the estimator's lists, each once in the result, so that the others
/// can be shown. `folder`: where relative paths start.
std::vector<ColumnProblem> removeUnusable(spec::Experiment& resolved,
                                          const std::filesystem::path& folder);

/// The problems as answers have them.
reports::ReportList<reports::ColumnProblem>
columnProblemsReport(const std::vector<ColumnProblem>& problems);

} // namespace cannery::survey
