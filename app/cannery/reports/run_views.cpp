// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/reports/run_views.h"

#include "app/cannery/reports/evaluation_view.h"
#include "core/base/text_table.h"
#include "core/reports/report_list.h"
#include "storage/io/files.h"
#include "storage/runs/decision_metric.h"

#include <fmt/chrono.h>
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>

namespace cannery::app {

namespace {

std::string number(double value)
{
    return fmt::format("{:.5g}", value);
}

const std::string& titleOf(const storage::RunInfo& info, const storage::RunAnnotations& annotations)
{
    return annotations.title.empty() ? info.name : annotations.title;
}

std::string stepText(const storage::RunStatus& status)
{
    return status.maxSteps ? fmt::format("{}/{}", status.globalStep, *status.maxSteps)
                           : std::to_string(status.globalStep);
}

/// Exports may have been moved or deleted since.
bool isThere(const storage::RunExport& entry, const std::string& folder)
{
    return storage::exists(storage::joinPath(folder, entry.path));
}

std::string metricText(const std::optional<storage::RunEvaluation>& evaluation)
{
    const storage::MetricValue* metric = evaluation ? decisionMetric(*evaluation) : nullptr;
    return metric == nullptr ? "" : fmt::format("{} {}", metric->name, number(metric->value));
}

void addEvaluation(const storage::RunEvaluation& evaluation, reports::RecordedEvaluation& row)
{
    row.set_name(evaluation.name);
    row.set_global_step(evaluation.globalStep);
    for (const storage::MetricValue& metric : evaluation.metrics) {
        reports::RecordedMetric& written = *row.add_metrics();
        written.set_key(metric.name);
        written.set_value(metric.value);
    }
    *row.mutable_tables() = tablesReport(evaluation.tables);
    *row.mutable_slices() = slicesReport(evaluation.slices);
}

void addHead(const storage::RunInfo& info, const storage::RunStatus& status,
             const storage::RunAnnotations& annotations, reports::RunHead& head)
{
    head.set_run(info.name);
    head.set_title(annotations.title);
    head.set_experiment(info.experimentName);
    head.set_estimator(info.estimator);
    head.set_state(std::string(storage::name(status.state)));
    head.set_reason(status.reason);
    head.set_global_step(status.globalStep);
    head.set_created(info.createdAt);
}

void addMarks(const storage::RunStatus& status, const storage::RunAnnotations& annotations,
              reports::RunMarks& marks)
{
    marks.set_star(annotations.star);
    marks.set_notes(annotations.notes);
    marks.set_colour(annotations.colour);
    if (annotations.colourSlot) {
        marks.set_colour_slot(*annotations.colourSlot);
    }
    if (status.maxSteps) {
        marks.set_max_steps(*status.maxSteps);
    }
}

/// The checkpoint that --checkpoint best selects; nothing if no existing one was evaluated.
void addBest(const storage::RunDetails& run, const std::string& folder, reports::ShownRun& report)
{
    const auto best = storage::bestCheckpoint(run);
    if (!best) {
        return;
    }
    reports::BestCheckpoint& row = *report.mutable_best();
    row.set_metric(best->metric.name);
    row.set_higher_is_better(best->metric.higherIsBetter);
    row.set_evaluation(best->evaluation);
    row.set_global_step(best->globalStep);
    row.set_value(best->value);
    row.set_checkpoint(fmt::format("{}/model.ckpt-{}", folder, best->globalStep));
}

/// The last evaluation, whichever eval_spec it is of; null if there is none.
const storage::RunEvaluation* lastEvaluation(const storage::RunDetails& run)
{
    return run.evaluations.empty() ? nullptr : &run.evaluations.back();
}

void addTable(std::vector<std::string>& lines, const std::vector<std::string>& header,
              const std::vector<std::vector<std::string>>& rows)
{
    if (rows.empty()) {
        return;
    }
    lines.emplace_back();
    for (std::string& line : alignedTable(header, rows)) {
        lines.push_back(std::move(line));
    }
}

void addFolds(const storage::FoldResult& folds, reports::CrossValidation& row)
{
    row.set_sweep(folds.sweep);
    row.set_folds(folds.folds);
    row.set_diverged(folds.diverged);
    for (const storage::FoldMetric& metric : folds.metrics) {
        reports::FoldMetric& written = *row.add_metrics();
        written.set_key(metric.metric);
        written.mutable_value()->set_mean(metric.mean);
        written.mutable_value()->set_deviation(metric.deviation);
    }
}

void addRecords(const storage::RunDetails& run, const std::string& folder,
                reports::ShownRun& report)
{
    for (const storage::RunCheckpoint& checkpoint : run.checkpoints) {
        reports::RunCheckpoint& row = *report.add_checkpoints();
        row.set_global_step(checkpoint.globalStep);
        row.set_bytes(checkpoint.bytes);
        row.set_kept_because(checkpoint.keptBecause);
    }
    for (const storage::TagStatistics& tag : run.tags) {
        reports::TagStatistics& row = *report.add_tags();
        row.set_folder(tag.folder);
        row.set_tag(tag.tag);
        row.set_count(tag.count);
        row.set_last(tag.last);
        row.set_min(tag.min);
        row.set_max(tag.max);
    }
    for (const storage::RunExport& entry : run.exports) {
        reports::RunExport& row = *report.add_exports();
        row.set_path(entry.path);
        row.set_exporter(entry.exporter);
        row.set_global_step(entry.globalStep);
        row.set_exists(isThere(entry, folder));
    }
}

void addFolds(std::vector<std::string>& lines, const storage::FoldResult& folds)
{
    std::vector<std::vector<std::string>> rows;
    for (const storage::FoldMetric& metric : folds.metrics) {
        rows.push_back({metric.metric, number(metric.mean), number(metric.deviation)});
    }
    addTable(lines, {fmt::format("{} folds of {}", folds.folds, folds.sweep), "mean", "deviation"},
             rows);
}

/// The values of every run by key; empty where a run has none.
using Matrix = std::map<std::string, std::vector<std::string>>;

Matrix differingParameters(const std::vector<storage::RunDetails>& runs)
{
    Matrix matrix;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        for (const storage::RunParameter& parameter : runs[i].info.parameters) {
            auto& row = matrix[parameter.path];
            row.resize(runs.size());
            row[i] = parameter.value;
        }
    }
    // A parameter that is the same in all runs does not explain how they differ.
    std::erase_if(matrix, [](const auto& entry) {
        const std::vector<std::string>& row = entry.second;
        return std::adjacent_find(row.begin(), row.end(), std::not_equal_to<>()) == row.end();
    });
    return matrix;
}

Matrix lastMetrics(const std::vector<storage::RunDetails>& runs)
{
    Matrix matrix;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (const storage::RunEvaluation* evaluation = lastEvaluation(runs[i])) {
            for (const storage::MetricValue& metric : evaluation->metrics) {
                auto& row = matrix[metric.name];
                row.resize(runs.size());
                row[i] = number(metric.value);
            }
        }
    }
    return matrix;
}

std::vector<std::vector<std::string>> rowsOf(const Matrix& matrix)
{
    std::vector<std::vector<std::string>> rows;
    for (const auto& [key, values] : matrix) {
        rows.push_back({key});
        rows.back().insert(rows.back().end(), values.begin(), values.end());
    }
    return rows;
}

reports::ReportList<reports::ComparedRow> comparedRows(const Matrix& matrix)
{
    reports::ReportList<reports::ComparedRow> rows;
    for (const auto& [key, values] : matrix) {
        reports::ComparedRow& row = *rows.Add();
        row.set_key(key);
        row.mutable_values()->Assign(values.begin(), values.end());
    }
    return rows;
}

/// One line for each line of the notes; the first begins with the title.
void addNotes(std::vector<std::string>& lines, std::string_view notes)
{
    std::string_view title = "notes";
    while (!notes.empty()) {
        const std::size_t end = std::min(notes.find('\n'), notes.size());
        lines.push_back(fmt::format("{:<11} {}", title, notes.substr(0, end)));
        notes.remove_prefix(std::min(end + 1, notes.size()));
        title = {};
    }
}

} // namespace

std::string timeText(double secondsSince1970)
{
    return fmt::format("{:%Y-%m-%d %H:%M}",
                       fmt::localtime(static_cast<std::time_t>(secondsSince1970)));
}

const storage::MetricValue* decisionMetric(const storage::RunEvaluation& evaluation)
{
    for (const std::string_view wanted : {"accuracy", "average_loss", "loss"}) {
        for (const storage::MetricValue& metric : evaluation.metrics) {
            if (metric.name == wanted) {
                return &metric;
            }
        }
    }
    return nullptr;
}

std::vector<std::string> runLines(const std::vector<storage::RunSummary>& runs)
{
    if (runs.empty()) {
        return {};
    }
    std::vector<std::vector<std::string>> rows;
    for (const storage::RunSummary& run : runs) {
        rows.push_back({(run.annotations.star ? "* " : "  ") + titleOf(run.info, run.annotations),
                        std::string(storage::name(run.status.state)), stepText(run.status),
                        metricText(run.lastEvaluation), timeText(run.info.createdAt),
                        fmt::format("{}", fmt::join(run.annotations.tags, ","))});
    }
    return alignedTable({"  run", "state", "step", "last evaluation", "created", "tags"}, rows);
}

reports::RunList runsReport(const std::vector<storage::RunSummary>& runs)
{
    reports::RunList report;
    for (const storage::RunSummary& run : runs) {
        reports::ListedRun& row = *report.add_runs();
        addHead(run.info, run.status, run.annotations, *row.mutable_head());
        row.mutable_tags()->Assign(run.annotations.tags.begin(), run.annotations.tags.end());
        addMarks(run.status, run.annotations, *row.mutable_marks());
        if (run.lastEvaluation) {
            addEvaluation(*run.lastEvaluation, *row.mutable_last_evaluation());
        }
    }
    return report;
}

std::vector<std::string> detailsLines(const storage::RunDetails& run, const std::string& folder,
                                      const std::optional<storage::FoldResult>& folds)
{
    std::vector<std::string> lines{
        fmt::format("{} ({})", titleOf(run.info, run.annotations), storage::name(run.status.state)),
        fmt::format("experiment  {} ({})", run.info.experimentName, run.info.estimator),
        fmt::format("folder      {}", folder),
        fmt::format("rows        {} to train on, {} to evaluate on", run.info.trainRows,
                    run.info.evalRows),
        fmt::format("step        {}", stepText(run.status)),
        fmt::format("created     {}", timeText(run.info.createdAt)),
    };
    if (!run.info.device.empty()) {
        lines.push_back("device      " + run.info.device);
    }
    if (const auto best = storage::bestCheckpoint(run)) {
        lines.push_back(fmt::format("best        step {} ({} {})", best->globalStep,
                                    best->metric.name, number(best->value)));
    }
    if (!run.status.reason.empty()) {
        lines.push_back("reason      " + run.status.reason);
    }
    if (!run.annotations.notes.empty()) {
        addNotes(lines, run.annotations.notes);
    }
    std::vector<std::vector<std::string>> metrics;
    if (const storage::RunEvaluation* evaluation = lastEvaluation(run)) {
        for (const storage::MetricValue& metric : evaluation->metrics) {
            metrics.push_back({metric.name, number(metric.value)});
        }
    }
    addTable(lines, {"last evaluation", "value"}, metrics);
    if (folds) {
        addFolds(lines, *folds);
    }
    std::vector<std::vector<std::string>> checkpoints;
    for (const storage::RunCheckpoint& checkpoint : run.checkpoints) {
        checkpoints.push_back({std::to_string(checkpoint.globalStep),
                               std::to_string(checkpoint.bytes), timeText(checkpoint.savedAt),
                               checkpoint.keptBecause});
    }
    addTable(lines, {"checkpoint", "bytes", "saved", "kept because"}, checkpoints);
    std::vector<std::vector<std::string>> exports;
    for (const storage::RunExport& entry : run.exports) {
        exports.push_back({entry.path + (isThere(entry, folder) ? "" : " (gone)"), entry.exporter,
                           std::to_string(entry.globalStep)});
    }
    addTable(lines, {"export", "exporter", "step"}, exports);
    return lines;
}

reports::ShownRun detailsReport(const storage::RunDetails& run, const std::string& folder,
                                const std::optional<storage::FoldResult>& folds)
{
    reports::ShownRun report;
    addHead(run.info, run.status, run.annotations, *report.mutable_head());
    addMarks(run.status, run.annotations, *report.mutable_marks());
    report.set_folder(folder);
    report.set_train_rows(run.info.trainRows);
    report.set_eval_rows(run.info.evalRows);
    report.set_data_fingerprint(run.info.dataFingerprint);
    report.set_engine(run.info.engine);
    report.set_device(run.info.device);
    for (const storage::RunParameter& parameter : run.info.parameters) {
        reports::RunParameter& row = *report.add_parameters();
        row.set_key(parameter.path);
        row.set_value(parameter.value);
    }
    for (const storage::RunEvaluation& evaluation : run.evaluations) {
        addEvaluation(evaluation, *report.add_evaluations());
    }
    addRecords(run, folder, report);
    addBest(run, folder, report);
    if (folds) {
        addFolds(*folds, *report.mutable_cross_validation());
    }
    return report;
}

std::vector<std::string> comparisonLines(const std::vector<storage::RunDetails>& runs)
{
    std::vector<std::string> header{"differs"};
    for (const storage::RunDetails& run : runs) {
        header.push_back(titleOf(run.info, run.annotations));
    }
    std::vector<std::string> lines = alignedTable(header, rowsOf(differingParameters(runs)));
    header.front() = "last evaluation";
    addTable(lines, header, rowsOf(lastMetrics(runs)));
    return lines;
}

reports::RunComparison comparisonReport(const std::vector<storage::RunDetails>& runs)
{
    reports::RunComparison report;
    for (const storage::RunDetails& run : runs) {
        report.add_runs(run.info.name);
    }
    *report.mutable_parameters() = comparedRows(differingParameters(runs));
    *report.mutable_metrics() = comparedRows(lastMetrics(runs));
    return report;
}

} // namespace cannery::app
