// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/commands/evaluate_command.h"

#include "app/cannery/reports/evaluation_view.h"
#include "core/base/counted.h"
#include "core/reports/report_json.h"
#include "core/train/evaluation/model_evaluation.h"

#include <fmt/core.h>

namespace cannery::app {

void EvaluateCommand::declare(OptionSet& options)
{
    m_model.declare(options);
    options.option("--data", "FILE", m_files,
                   "evaluate on this file instead of the experiment's (repeatable)");
    options.flag("--json", m_json, "print one JSON object");
    declareProgress(options, m_progress);
}

ExitCode EvaluateCommand::run(Console& console)
{
    auto model = loadModel(console, m_model);
    if (!model) {
        return model.error();
    }
    console.setJsonProgress(m_progress == "json");
    console.advance(-1, "Reading the rows");
    const Result<train::EvaluationResult> result = train::evaluateModel(
        *model, {.files = m_files, .progress = [&](std::int64_t done, std::int64_t all) {
                     console.advance(static_cast<double>(done) / static_cast<double>(all),
                                     fmt::format("{} of {} rows evaluated", done, all));
                 }});
    console.clearProgress();
    if (!result) {
        return reportFailure(console, result.error());
    }
    if (!result->note.empty()) {
        console.note(result->note);
    }
    const std::vector<ColumnImportance> importances = importancesOf(model->model->model());
    if (m_json) {
        console.document(reports::reportJson(evaluationReport(*result, importances), 2));
        return ExitCode::Done;
    }
    console.note(fmt::format("{}: {} at step {}", result->checkpoint, counted(result->rows, "row"),
                             result->globalStep));
    for (const std::string& line : metricLines(*result)) {
        console.result(line);
    }
    for (const auto& lines : {tableLines(*result), sliceLines(*result)}) {
        for (const std::string& line : lines) {
            console.result(line);
        }
    }
    if (!importances.empty()) {
        console.result("");
        for (const std::string& line : importanceLines(importances)) {
            console.result(line);
        }
    }
    return ExitCode::Done;
}

} // namespace cannery::app
