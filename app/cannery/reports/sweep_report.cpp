// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/reports/sweep_report.h"

#include "core/base/json_text.h"
#include "core/base/text_table.h"
#include "core/spec/metric_direction.h"
#include "core/sweep/fold_statistics.h"
#include "storage/io/files.h"
#include "storage/runs/run_store.h"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace cannery::app {

namespace {

using SweepTable = nlohmann::ordered_json;

/// The most trials in a list for the terminal.
constexpr std::size_t kMostTrialLines = 50;

/// Trials that differ by their fold alone.
struct Group
{
    std::vector<const launch::TrialResult*> folds;
    std::vector<sweep::MetricSpread> spreads;
    double score = 0; ///< the mean of the folds'
};

/// The field of an override and its value.
std::pair<std::string, std::string> assignmentOf(const std::string& override)
{
    const std::size_t at = override.find('=');
    return {override.substr(0, at), override.substr(at + 1)};
}

/// Without those that make a fold.
std::vector<std::string> valuesOf(const sweep::Job& job)
{
    // The search's own overrides come first; those of a fold follow.
    std::vector<std::string> values(job.overrides.begin(),
                                    job.overrides.begin() +
                                        static_cast<std::ptrdiff_t>(job.point.size()));
    return values;
}

/// "batch_size=16" of "train_spec.input.batch_size=16".
std::string shortOf(const std::string& override)
{
    const auto [field, value] = assignmentOf(override);
    return field.substr(field.rfind('.') + 1) + "=" + value;
}

std::string shortValues(const sweep::Job& job)
{
    std::vector<std::string> values;
    for (const std::string& override : valuesOf(job)) {
        values.push_back(shortOf(override));
    }
    return fmt::format("{}", fmt::join(values, ", "));
}

/// With the fold of a cross-validation.
std::string trialValues(const sweep::Job& job, const spec::Sweep& sweep)
{
    std::string values = shortValues(job);
    if (sweep.has_k_fold()) {
        // The folds of one point are trials in a row.
        values += fmt::format("{}fold {}", values.empty() ? "" : ", ",
                              job.key.trial % sweep.k_fold().folds());
    }
    return values;
}

std::string numberText(double value)
{
    return fmt::format("{:.5g}", value);
}

std::string metricText(const launch::TrialResult& result, const std::string& metric)
{
    for (const storage::MetricValue& value : result.metrics) {
        if (value.name == metric) {
            return numberText(value.value);
        }
    }
    return "diverged";
}

/// The last stage of each trial, the best first; those that went further before others.
std::vector<const launch::TrialResult*> ranked(const std::vector<launch::TrialResult>& results)
{
    std::map<std::int64_t, const launch::TrialResult*> last;
    for (const launch::TrialResult& result : results) {
        const launch::TrialResult*& entry = last[result.job.key.trial];
        if (entry == nullptr || entry->job.key.rung < result.job.key.rung) {
            entry = &result;
        }
    }
    std::vector<const launch::TrialResult*> order;
    for (const auto& [trial, result] : last) {
        order.push_back(result);
    }
    std::stable_sort(
        order.begin(), order.end(), [](const launch::TrialResult* a, const launch::TrialResult* b) {
            if (a->hasDiverged() != b->hasDiverged()) {
                return b->hasDiverged();
            }
            return a->job.key.rung != b->job.key.rung ? a->job.key.rung > b->job.key.rung
                                                      : a->score < b->score;
        });
    return order;
}

/// The combinations of a cross-validation, the best first.
std::vector<Group> groupsOf(const std::vector<launch::TrialResult>& results)
{
    std::map<std::int64_t, Group> byNumber;
    for (const launch::TrialResult& result : results) {
        byNumber[result.job.group].folds.push_back(&result);
    }
    std::vector<Group> groups;
    for (auto& [number, group] : byNumber) {
        std::vector<std::map<std::string, double>> folds;
        for (const launch::TrialResult* fold : group.folds) {
            group.score += fold->score / static_cast<double>(group.folds.size());
            if (!fold->hasDiverged()) {
                folds.push_back(fold->metricsByName());
            }
        }
        group.spreads = sweep::spreadOf(folds);
        groups.push_back(std::move(group));
    }
    std::stable_sort(groups.begin(), groups.end(),
                     [](const Group& a, const Group& b) { return a.score < b.score; });
    return groups;
}

std::string runFolder(const launch::TrialResult& result, const launch::SweepRequest& request)
{
    return storage::joinPath(
        storage::joinPath(storage::parentFolder(request.experimentFile), storage::kRunsFolder),
        result.run);
}

void addTrialLines(std::vector<std::string>& lines,
                   const std::vector<const launch::TrialResult*>& order,
                   const launch::SweepRequest& request)
{
    const std::string& metric = request.experiment.sweep().metric();
    std::vector<std::vector<std::string>> rows;
    for (const launch::TrialResult* result : order) {
        if (rows.size() < kMostTrialLines) {
            rows.push_back({result->run, metricText(*result, metric),
                            result->hasDiverged() ? "" : fmt::format("{}", result->globalStep),
                            trialValues(result->job, request.experiment.sweep())});
        }
    }
    for (std::string& line : alignedTable({"run", metric, "step", "values"}, rows)) {
        lines.push_back(std::move(line));
    }
    if (order.size() > rows.size()) {
        lines.push_back(fmt::format("… and {} more; --json lists all", order.size() - rows.size()));
    }
}

void addGroupLines(std::vector<std::string>& lines, const std::vector<Group>& groups,
                   const launch::SweepRequest& request)
{
    for (const Group& group : groups) {
        const std::string values = shortValues(group.folds.front()->job);
        const auto diverged =
            std::count_if(group.folds.begin(), group.folds.end(),
                          [](const launch::TrialResult* fold) { return fold->hasDiverged(); });
        std::vector<std::vector<std::string>> rows;
        for (const sweep::MetricSpread& spread : group.spreads) {
            rows.push_back({spread.metric, numberText(spread.mean), numberText(spread.deviation)});
        }
        lines.emplace_back();
        lines.push_back(fmt::format("{}{} folds{}", values.empty() ? "" : values + ": ",
                                    group.folds.size(),
                                    diverged > 0 ? fmt::format(", {} diverged", diverged) : ""));
        for (std::string& line : alignedTable({"metric", "mean", "deviation"}, rows)) {
            lines.push_back(std::move(line));
        }
    }
    if (!groups.empty() && !groups.front().folds.front()->job.point.empty()) {
        std::string command = "cannery train " + request.experimentFile;
        for (const std::string& value : valuesOf(groups.front().folds.front()->job)) {
            command += " --set '" + value + "'";
        }
        lines.emplace_back();
        lines.push_back("Train the best values on all training rows: " + command);
    }
}

/// NaN and infinite numbers are null, as the library writes them.
SweepTable trialJson(const launch::TrialResult& result, const launch::SweepRequest& request)
{
    SweepTable values = SweepTable::object();
    for (const std::string& override : result.job.overrides) {
        const auto [field, value] = assignmentOf(override);
        values[field] = value;
    }
    SweepTable metrics = SweepTable::object();
    for (const storage::MetricValue& value : result.metrics) {
        metrics[value.name] = value.value;
    }
    return {{"trial", result.job.key.trial + 1},    {"run", result.run},
            {"folder", runFolder(result, request)}, {"diverged", result.hasDiverged()},
            {"global_step", result.globalStep},     {"values", std::move(values)},
            {"metrics", std::move(metrics)}};
}

SweepTable groupJson(const Group& group)
{
    SweepTable values = SweepTable::object();
    for (const std::string& override : valuesOf(group.folds.front()->job)) {
        const auto [field, value] = assignmentOf(override);
        values[field] = value;
    }
    SweepTable runs = SweepTable::array();
    for (const launch::TrialResult* fold : group.folds) {
        runs.push_back(fold->run);
    }
    SweepTable metrics = SweepTable::object();
    for (const sweep::MetricSpread& spread : group.spreads) {
        metrics[spread.metric] = {{"mean", spread.mean}, {"deviation", spread.deviation}};
    }
    return {
        {"values", std::move(values)}, {"runs", std::move(runs)}, {"metrics", std::move(metrics)}};
}

} // namespace

std::vector<std::string> sweepLines(const launch::SweepOutcome& outcome,
                                    const launch::SweepRequest& request)
{
    std::vector<std::string> lines;
    const std::vector<const launch::TrialResult*> order = ranked(outcome.results);
    addTrialLines(lines, order, request);
    if (request.experiment.sweep().has_k_fold()) {
        addGroupLines(lines, groupsOf(outcome.results), request);
    } else if (!order.empty() && !order.front()->hasDiverged()) {
        // With folds there is no best run: each has been trained on a part of the rows.
        const std::string folder = runFolder(*order.front(), request);
        lines.emplace_back();
        lines.push_back(fmt::format("The best is {}; 'cannery export {}' writes its model",
                                    order.front()->run, folder));
    }
    return lines;
}

std::string sweepJson(const launch::SweepOutcome& outcome, const launch::SweepRequest& request)
{
    const spec::Sweep& sweep = request.experiment.sweep();
    SweepTable trials = SweepTable::array();
    for (const launch::TrialResult* result : ranked(outcome.results)) {
        trials.push_back(trialJson(*result, request));
    }
    SweepTable json{{"sweep", outcome.sweep},
                    {"complete", outcome.isComplete},
                    {"metric", sweep.metric()},
                    {"higher_is_better", spec::prefersMore(request.experiment, sweep)},
                    {"trials", std::move(trials)}};
    if (sweep.has_k_fold()) {
        json["combinations"] = SweepTable::array();
        for (const Group& group : groupsOf(outcome.results)) {
            json["combinations"].push_back(groupJson(group));
        }
    }
    return jsonText(json, 2);
}

std::vector<std::string> plannedLines(const sweep::Search& search)
{
    std::vector<std::vector<std::string>> rows;
    for (const sweep::Job& job : search.jobs()) {
        rows.push_back({fmt::format("{}", job.key.trial + 1),
                        fmt::format("{}", fmt::join(job.overrides, " "))});
    }
    std::vector<std::string> lines = alignedTable({"trial", "values"}, rows, 2);
    // TPE and halving decide later trials by the results of the first.
    const std::int64_t open = search.trials() - std::ssize(search.jobs());
    if (open > 0) {
        lines.push_back(fmt::format("… and {} more, which depend on the results", open));
    }
    return lines;
}

std::string plannedJson(const sweep::Search& search)
{
    SweepTable jobs = SweepTable::array();
    for (const sweep::Job& job : search.jobs()) {
        jobs.push_back({{"trial", job.key.trial + 1}, {"overrides", job.overrides}});
    }
    return jsonText(SweepTable{{"trials", search.trials()}, {"decided", std::move(jobs)}}, 2);
}

std::string trialLine(const launch::TrialResult& result, const spec::Sweep& sweep)
{
    if (result.hasDiverged()) {
        return fmt::format("trial {}: diverged ({})", result.job.key.trial + 1,
                           trialValues(result.job, sweep));
    }
    return fmt::format("trial {}: {} {} at step {} ({})", result.job.key.trial + 1, sweep.metric(),
                       metricText(result, sweep.metric()), result.globalStep,
                       trialValues(result.job, sweep));
}

} // namespace cannery::app
