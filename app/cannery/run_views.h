// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/runs/run_record.h"

#include <string>
#include <vector>

namespace cannery::app {

/// Runs as lines for a terminal and as JSON objects for scripts.
std::vector<std::string> runLines(const std::vector<storage::RunSummary>& runs);
std::string runsJson(const std::vector<storage::RunSummary>& runs);

std::vector<std::string> detailsLines(const storage::RunDetails& run, const std::string& folder);
std::string detailsJson(const storage::RunDetails& run, const std::string& folder);

/// Parameters that differ, then the metrics of the last evaluations, a column for each run.
std::vector<std::string> comparisonLines(const std::vector<storage::RunDetails>& runs);
std::string comparisonJson(const std::vector<storage::RunDetails>& runs);

/// "2026-11-21 14:03" in local time.
std::string timeText(double secondsSince1970);

/// The one metric that a list has room for: accuracy, else average_loss, else loss.
const storage::MetricValue* decisionMetric(const storage::RunEvaluation& evaluation);

} // namespace cannery::app
