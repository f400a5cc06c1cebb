// SPDX-License-Identifier: Apache-2.0
#include "core/train/records/summary_recorder.h"

#include "core/train/records/eval_history.h"
#include "storage/io/files.h"
#include "storage/tf/events/histogram.h"
#include "storage/tf/events/summary_builder.h"

#include <fmt/format.h>

#include <algorithm>

namespace cannery::train {
namespace {

/// Of one slice; the run's list of evaluations has all of them.
constexpr std::size_t kMostSliceGroups = 50;

/// "sex=male", "sex=male,deck=(missing)" or "sex,deck=12 small groups".
std::string sliceName(const std::vector<std::string>& columns, const storage::SliceGroup& group)
{
    // Values of a merged group are too many to name.
    if (group.merged > 0) {
        return fmt::format("{}={}", fmt::join(columns, ","), storage::describe(group));
    }
    std::string text;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        text += fmt::format("{}{}={}", i == 0 ? "" : ",", columns[i],
                            group.values[i].value_or(std::string(storage::kMissingValue)));
    }
    return text;
}

std::vector<metrics::MetricValue> sliceScalars(const std::vector<storage::EvaluationSlice>& slices)
{
    std::vector<metrics::MetricValue> scalars;
    for (const storage::EvaluationSlice& slice : slices) {
        // TensorBoard would show a chart for every group.
        const std::size_t count = std::min(slice.groups.size(), kMostSliceGroups);
        for (std::size_t i = 0; i < count; ++i) {
            const std::string prefix =
                std::string(kSliceTags) + sliceName(slice.columns, slice.groups[i]) + "/";
            for (const storage::MetricValue& metric : slice.groups[i].metrics) {
                scalars.push_back({.name = prefix + metric.name, .value = metric.value});
            }
        }
    }
    return scalars;
}

} // namespace

SummaryRecorder::SummaryRecorder(const Options& options, storage::EventWriter writer)
    : m_folder(options.folder), m_clock(options.clock), m_observer(options.observer),
      m_writer(std::move(writer))
{}

Result<SummaryRecorder> SummaryRecorder::create(const Options& options)
{
    const std::string folder = options.folder.empty()
                                   ? options.modelDir
                                   : storage::joinPath(options.modelDir, options.folder);
    const Clock* clock = options.clock;
    CANNERY_TRY_ASSIGN(
        storage::EventWriter writer,
        storage::EventWriter::create(folder, {.clock = [clock] { return clock->wallTime(); }},
                                     *options.system));
    // First in the file, where TensorBoard looks for it.
    if (!options.graph.empty()) {
        CANNERY_TRY(writer.writeGraph(options.graph));
    }
    SummaryRecorder recorder(options, std::move(writer));
    // A file that exists can be shown before its first step.
    CANNERY_TRY(recorder.flush());
    return recorder;
}

Result<void> SummaryRecorder::flush()
{
    // TensorBoard reads while training goes on.
    CANNERY_TRY(m_writer.flush());
    if (m_observer != nullptr) {
        m_observer->fileGrew(m_writer.path(), m_writer.position());
    }
    return {};
}

Result<void> SummaryRecorder::write(std::int64_t step, const storage::SummaryBuilder& summary)
{
    CANNERY_TRY(m_writer.writeSummary(step, summary));
    return flush();
}

void SummaryRecorder::report(std::string_view tag, std::int64_t step, double value)
{
    if (m_observer != nullptr) {
        // Rounded as in the event file, so that reading the file gives the same value.
        m_observer->scalarLogged(m_folder, tag, step,
                                 static_cast<double>(static_cast<float>(value)));
    }
}

Result<void> SummaryRecorder::scalar(std::int64_t step, std::string_view tag, float value)
{
    storage::SummaryBuilder summary;
    // TensorFlow writes scalars as float32 as well.
    summary.scalar(tag, value);
    CANNERY_TRY(write(step, summary));
    report(tag, step, static_cast<double>(value));
    return {};
}

Result<void> SummaryRecorder::summaries(std::int64_t step,
                                        std::span<const plan::ModelSummary> values)
{
    storage::SummaryBuilder summary;
    for (const plan::ModelSummary& value : values) {
        if (value.histogram) {
            storage::Histogram histogram;
            histogram.add(value.values);
            summary.histogram(value.tag, histogram);
        } else {
            summary.scalar(value.tag, value.scalar);
        }
    }
    CANNERY_TRY(write(step, summary));
    // Histograms have no single value to follow.
    for (const plan::ModelSummary& value : values) {
        if (!value.histogram) {
            report(value.tag, step, static_cast<double>(value.scalar));
        }
    }
    return {};
}

Result<void> SummaryRecorder::evaluation(const EvaluationResult& result)
{
    storage::SummaryBuilder summary;
    for (const metrics::MetricValue& metric : result.metrics) {
        summary.scalar(metric.name, static_cast<float>(metric.value));
    }
    // Tables go into the same event, as they belong to the same step.
    for (const storage::ResultTable& table : result.tables) {
        summary.tensor(table.name, table.values,
                       Shape{static_cast<std::int64_t>(table.rows.size()),
                             static_cast<std::int64_t>(table.columns.size())});
    }
    const std::vector<metrics::MetricValue> ofSlices = sliceScalars(result.slices);
    for (const metrics::MetricValue& metric : ofSlices) {
        summary.scalar(metric.name, static_cast<float>(metric.value));
    }
    CANNERY_TRY(write(result.globalStep, summary));
    // A second event, as TensorFlow writes the path.
    if (!result.checkpoint.empty()) {
        storage::SummaryBuilder path;
        path.stringTensor("checkpoint_path", result.checkpoint);
        CANNERY_TRY(write(result.globalStep, path));
    }
    // Reported after writing: observers can read the file.
    for (const metrics::MetricValue& metric : result.metrics) {
        report(metric.name, result.globalStep, metric.value);
    }
    for (const metrics::MetricValue& metric : ofSlices) {
        report(metric.name, result.globalStep, metric.value);
    }
    return {};
}

Result<void> SummaryRecorder::sessionLog(std::int64_t step, storage::SessionStatus status,
                                         std::string_view checkpointPath)
{
    CANNERY_TRY(m_writer.writeSessionLog(step, status, checkpointPath));
    return flush();
}

Result<void> SummaryRecorder::sessionStart(std::int64_t step,
                                           std::span<const storage::Hyperparameter> hyperparameters)
{
    storage::SummaryBuilder summary;
    summary.sessionStart(hyperparameters, m_clock->wallTime());
    return write(step, summary);
}

Result<void> SummaryRecorder::sessionEnd(std::int64_t step, bool succeeded)
{
    storage::SummaryBuilder summary;
    summary.sessionEnd(succeeded, m_clock->wallTime());
    return write(step, summary);
}

Result<void> SummaryRecorder::close()
{
    return m_writer.close();
}

} // namespace cannery::train
