// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/reports/runs.pb.h"
#include "storage/runs/run_record.h"
#include "storage/runs/sweep_store.h"

#include <optional>
#include <string>
#include <vector>

namespace cannery::app {

/// Runs as lines for the terminal and for programs.
std::vector<std::string> runLines(const std::vector<storage::RunSummary>& runs);
reports::RunList runsReport(const std::vector<storage::RunSummary>& runs);

/// `folds`: of the cross-validation that the run is part of.
std::vector<std::string> detailsLines(const storage::RunDetails& run, const std::string& folder,
                                      const std::optional<storage::FoldResult>& folds);
reports::ShownRun detailsReport(const storage::RunDetails& run, const std::string& folder,
                                const std::optional<storage::FoldResult>& folds);

/// The parameters that differ, then the metrics of the last evaluations, one column per run.
std::vector<std::string> comparisonLines(const std::vector<storage::RunDetails>& runs);
reports::RunComparison comparisonReport(const std::vector<storage::RunDetails>& runs);

/// "2026-11-21 14:03" in local time.
std::string timeText(double secondsSince1970);

/// The one metric that fits into a list: accuracy, otherwise average_loss, otherwise loss.
const storage::MetricValue* decisionMetric(const storage::RunEvaluation& evaluation);

} // namespace cannery::app
