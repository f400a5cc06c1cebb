// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/reports/run_views.h"

#include "core/base/json_text.h"
#include "core/base/text_table.h"
#include "storage/io/files.h"
#include "storage/runs/decision_metric.h"
#include "storage/runs/run_json.h"

#include <fmt/chrono.h>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <optional>

namespace cannery::app {

using Json = nlohmann::ordered_json;

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

Json evaluationJson(const storage::RunEvaluation& evaluation)
{
    Json metrics = Json::object();
    for (const storage::MetricValue& metric : evaluation.metrics) {
        metrics[metric.name] = metric.value;
    }
    Json json{
        {"name", evaluation.name}, {"global_step", evaluation.globalStep}, {"metrics", metrics}};
    // Beside the metrics: storage writes these members for the run's files as well.
    json.update(Json::parse(storage::detailsJson(evaluation)));
    return json;
}

Json runJson(const storage::RunInfo& info, const storage::RunStatus& status,
             const storage::RunAnnotations& annotations)
{
    Json json{{"run", info.name},
              {"title", annotations.title},
              {"experiment", info.experimentName},
              {"estimator", info.estimator},
              {"state", std::string(storage::name(status.state))},
              {"reason", status.reason},
              {"global_step", status.globalStep},
              {"created", info.createdAt},
              {"tags", annotations.tags},
              {"star", annotations.star},
              {"notes", annotations.notes},
              {"colour", annotations.colour}};
    json["colour_slot"] = annotations.colourSlot ? Json(*annotations.colourSlot) : Json(nullptr);
    json["max_steps"] = status.maxSteps ? Json(*status.maxSteps) : Json(nullptr);
    return json;
}

/// The checkpoint that --checkpoint best selects; null if no existing one was evaluated.
Json bestJson(const storage::RunDetails& run, const std::string& folder)
{
    const auto best = storage::bestCheckpoint(run);
    if (!best) {
        return nullptr;
    }
    return {{"metric", best->metric.name},
            {"higher_is_better", best->metric.higherIsBetter},
            {"evaluation", best->evaluation},
            {"global_step", best->globalStep},
            {"value", best->value},
            {"checkpoint", fmt::format("{}/model.ckpt-{}", folder, best->globalStep)}};
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

/// NaN is null, as the library writes it.
Json foldsJson(const storage::FoldResult& folds)
{
    Json metrics = Json::object();
    for (const storage::FoldMetric& metric : folds.metrics) {
        metrics[metric.metric] = {{"mean", metric.mean}, {"deviation", metric.deviation}};
    }
    return {{"sweep", folds.sweep},
            {"folds", folds.folds},
            {"diverged", folds.diverged},
            {"metrics", std::move(metrics)}};
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

Json jsonOf(const Matrix& matrix)
{
    Json json = Json::object();
    for (const auto& [key, values] : matrix) {
        json[key] = values;
    }
    return json;
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

std::string runsJson(const std::vector<storage::RunSummary>& runs)
{
    Json list = Json::array();
    for (const storage::RunSummary& run : runs) {
        Json json = runJson(run.info, run.status, run.annotations);
        json["last_evaluation"] =
            run.lastEvaluation ? evaluationJson(*run.lastEvaluation) : Json(nullptr);
        list.push_back(std::move(json));
    }
    return jsonText(Json({{"runs", list}}), 2);
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

std::string detailsJson(const storage::RunDetails& run, const std::string& folder,
                        const std::optional<storage::FoldResult>& folds)
{
    Json json = runJson(run.info, run.status, run.annotations);
    json["folder"] = folder;
    json["train_rows"] = run.info.trainRows;
    json["eval_rows"] = run.info.evalRows;
    json["data_fingerprint"] = run.info.dataFingerprint;
    json["engine"] = run.info.engine;
    json["device"] = run.info.device;
    json["parameters"] = Json::object();
    for (const storage::RunParameter& parameter : run.info.parameters) {
        json["parameters"][parameter.path] = parameter.value;
    }
    json["evaluations"] = Json::array();
    for (const storage::RunEvaluation& evaluation : run.evaluations) {
        json["evaluations"].push_back(evaluationJson(evaluation));
    }
    json["checkpoints"] = Json::array();
    for (const storage::RunCheckpoint& checkpoint : run.checkpoints) {
        json["checkpoints"].push_back({{"global_step", checkpoint.globalStep},
                                       {"bytes", checkpoint.bytes},
                                       {"kept_because", checkpoint.keptBecause}});
    }
    json["best"] = bestJson(run, folder);
    json["cross_validation"] = folds ? foldsJson(*folds) : Json(nullptr);
    json["tags"] = Json::array();
    for (const storage::TagStatistics& tag : run.tags) {
        json["tags"].push_back({{"folder", tag.folder},
                                {"tag", tag.tag},
                                {"count", tag.count},
                                {"last", tag.last},
                                {"min", tag.min},
                                {"max", tag.max}});
    }
    json["exports"] = Json::array();
    for (const storage::RunExport& entry : run.exports) {
        json["exports"].push_back({{"path", entry.path},
                                   {"exporter", entry.exporter},
                                   {"global_step", entry.globalStep},
                                   {"exists", isThere(entry, folder)}});
    }
    return jsonText(json, 2);
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

std::string comparisonJson(const std::vector<storage::RunDetails>& runs)
{
    std::vector<std::string> names;
    for (const storage::RunDetails& run : runs) {
        names.push_back(run.info.name);
    }
    return jsonText(Json({{"runs", names},
                          {"parameters", jsonOf(differingParameters(runs))},
                          {"metrics", jsonOf(lastMetrics(runs))}}),
                    2);
}

} // namespace cannery::app
