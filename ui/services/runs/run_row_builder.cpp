// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/runs/run_row_builder.h"

#include "storage/runs/decision_metric.h"
#include "ui/services/runs/run_state.h"

#include <QMap>

#include <algorithm>
#include <cmath>
#include <limits>

namespace cannery::ui {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
// A run with more tags than this shows them in its charts, not in table columns.
constexpr std::size_t kMostTagColumns = 500;

QString text(const std::string& utf8)
{
    return QString::fromStdString(utf8);
}

QDateTime moment(double seconds)
{
    return QDateTime::fromMSecsSinceEpoch(std::llround(seconds * 1000));
}

QDateTime moment(const std::optional<double>& seconds)
{
    return seconds ? moment(*seconds) : QDateTime();
}

QString metricName(const QString& evaluation, const QString& metric)
{
    return evaluation.isEmpty() ? metric : "eval_" + evaluation + '/' + metric;
}

void addValue(MetricSummary& summary, qint64 step, double value)
{
    summary.last = value;
    summary.lastStep = step;
    // Negated, so that the first value replaces the NaN at the start.
    if (!(value >= summary.min)) {
        if (!std::isnan(value)) {
            summary.min = value;
            summary.minStep = step;
        }
    }
    if (!(value <= summary.max) && !std::isnan(value)) {
        summary.max = value;
        summary.maxStep = step;
    }
}

QList<MetricSummary> summarize(const QList<EvaluationRow>& evaluations)
{
    QMap<QString, MetricSummary> byName;
    for (const EvaluationRow& row : evaluations) {
        for (const auto& [name, value] : row.values) {
            const QString full = metricName(row.name, name);
            MetricSummary& summary = byName[full];
            if (summary.name.isEmpty()) {
                summary = {.name = full, .min = kNothing, .max = kNothing, .atBest = kNothing};
            }
            addValue(summary, row.step, value);
        }
    }
    return byName.values();
}

void addTrainingTags(RunRow& row, const std::vector<storage::TagStatistics>& tags)
{
    if (tags.size() > kMostTagColumns) {
        return;
    }
    for (const storage::TagStatistics& tag : tags) {
        // Those of evaluations come from the evaluations themselves.
        if (!tag.folder.empty()) {
            continue;
        }
        row.metrics.append({.name = "train/" + text(tag.tag),
                            .last = tag.last,
                            .min = tag.min,
                            .max = tag.max,
                            .atBest = kNothing,
                            .lastStep = tag.lastStep,
                            .minStep = tag.minStep,
                            .maxStep = tag.maxStep});
    }
}

QList<EvaluationRow> evaluationRows(const std::vector<storage::RunEvaluation>& evaluations)
{
    QList<EvaluationRow> rows;
    rows.reserve(static_cast<qsizetype>(evaluations.size()));
    for (const storage::RunEvaluation& evaluation : evaluations) {
        EvaluationRow row{.name = text(evaluation.name),
                          .step = evaluation.globalStep,
                          .at = moment(evaluation.wallTime)};
        for (const storage::MetricValue& metric : evaluation.metrics) {
            row.values.append({text(metric.name), metric.value});
        }
        rows.append(std::move(row));
    }
    return rows;
}

/// "best" exports the best of the checkpoints on disk.
void addCheckpoints(RunRow& row, const storage::RunDetails& details)
{
    const std::optional<storage::BestEvaluation> best = storage::bestCheckpoint(details);
    for (const storage::RunCheckpoint& checkpoint : details.checkpoints) {
        CheckpointRow entry{.step = checkpoint.globalStep,
                            .bytes = static_cast<qint64>(checkpoint.bytes),
                            .savedAt = moment(checkpoint.savedAt),
                            .keptBecause = text(checkpoint.keptBecause),
                            .isBest = best && best->globalStep == checkpoint.globalStep};
        // Matched by step: an evaluation names no checkpoint.
        for (const EvaluationRow& evaluation : row.evaluations) {
            if (evaluation.step != entry.step) {
                continue;
            }
            for (const auto& [name, value] : evaluation.values) {
                entry.metrics.append({.name = metricName(evaluation.name, name),
                                      .last = value,
                                      .min = value,
                                      .max = value,
                                      .atBest = value,
                                      .lastStep = entry.step,
                                      .minStep = entry.step,
                                      .maxStep = entry.step});
            }
        }
        row.checkpoints.append(std::move(entry));
    }
}

/// The store decides what is best, for everyone.
void addBest(RunRow& row, const storage::RunDetails& details)
{
    const std::optional<storage::BestEvaluation> best =
        storage::bestEvaluation(details.info.parameters, details.evaluations);
    if (!best) {
        return;
    }
    row.decisionMetric = metricName(text(best->evaluation), text(best->metric.name));
    row.higherIsBetter = best->metric.higherIsBetter;
    row.bestStep = best->globalStep;
    for (MetricSummary& summary : row.metrics) {
        summary.atBest = row.metricAt(summary.name, row.bestStep).value_or(kNothing);
    }
}

void readInfo(RunRow& row, const storage::RunInfo& info)
{
    row.name = text(info.name);
    row.experimentName = text(info.experimentName);
    row.experimentFile = text(info.experimentFile);
    row.estimator = text(info.estimator);
    row.engine = text(info.engine);
    row.dataFingerprint = text(info.dataFingerprint);
    row.trainRows = info.trainRows;
    row.evalRows = info.evalRows;
    row.rowsPerStep = info.rowsPerStep;
    row.createdAt = moment(info.createdAt);
    row.parameters.reserve(static_cast<qsizetype>(info.parameters.size()));
    for (const storage::RunParameter& parameter : info.parameters) {
        row.parameters.append({text(parameter.path), text(parameter.value)});
    }
}

} // namespace

RunRow runRow(const storage::RunDetails& details, const QString& folder)
{
    RunRow row;
    readInfo(row, details.info);
    row.folder = folder;
    updateRow(row, details.status);
    updateRow(row, details.annotations);
    row.evaluations = evaluationRows(details.evaluations);
    row.metrics = summarize(row.evaluations);
    // Before the tags of the training, which have no value at the best evaluation.
    addBest(row, details);
    addTrainingTags(row, details.tags);
    addCheckpoints(row, details);
    for (const storage::RunExport& entry : details.exports) {
        row.exports.append({.exporter = text(entry.exporter),
                            .path = text(entry.path),
                            .step = entry.globalStep,
                            .exportedAt = moment(entry.exportedAt)});
    }
    return row;
}

void updateRow(RunRow& row, const storage::RunStatus& status)
{
    row.state = runStateOf(status.state);
    row.reason = text(status.reason);
    row.globalStep = status.globalStep;
    row.maxSteps = status.maxSteps;
    row.startedAt = moment(status.startedAt);
    row.finishedAt = moment(status.finishedAt);
    row.secondsBefore = status.secondsBefore;
}

void updateRow(RunRow& row, const storage::RunAnnotations& annotations)
{
    row.title = text(annotations.title);
    row.notes = text(annotations.notes);
    row.starred = annotations.star;
    row.trashed = annotations.trashedAt.has_value();
    row.trashedAt = moment(annotations.trashedAt);
    row.tags.clear();
    for (const std::string& tag : annotations.tags) {
        row.tags.append(text(tag));
    }
}

} // namespace cannery::ui
