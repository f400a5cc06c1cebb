// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/model.h"
#include "core/reports/evaluation.pb.h"
#include "core/reports/report_list.h"
#include "core/train/loop/training_observer.h"

#include <string>
#include <vector>

namespace cannery::app {

/// The metrics of an evaluation as a small table, one per line, without those in its tables; beside
/// some, how far more rows might be from it (uncertaintyOf()).
std::vector<std::string> metricLines(const train::EvaluationResult& result);
/// Its tables, and its slices with a line for each group; each begins with an empty line.
std::vector<std::string> tableLines(const train::EvaluationResult& result);
std::vector<std::string> sliceLines(const train::EvaluationResult& result);

/// How much each column matters to the model, and what part of all: by name, descending. Empty for
/// a model that does not report it.
struct ColumnImportance
{
    std::string column;
    double gain = 0;
    double fraction = 0;
};
std::vector<ColumnImportance> importancesOf(plan::Model& model);
std::vector<std::string> importanceLines(const std::vector<ColumnImportance>& importances);

/// Parts of an evaluation as answers have them.
reports::ReportList<reports::Metric>
metricsReport(const std::vector<metrics::MetricValue>& metrics);
reports::ReportList<reports::ResultTable>
tablesReport(const std::vector<storage::ResultTable>& tables);
reports::ReportList<reports::EvaluationSlice>
slicesReport(const std::vector<storage::EvaluationSlice>& slices);
/// The evaluation for programs.
reports::Evaluation evaluationReport(const train::EvaluationResult& result,
                                     const std::vector<ColumnImportance>& importances);

} // namespace cannery::app
