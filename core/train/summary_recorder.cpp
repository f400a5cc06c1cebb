// SPDX-License-Identifier: Apache-2.0
#include "core/train/summary_recorder.h"

#include "storage/io/files.h"
#include "storage/tf/histogram.h"
#include "storage/tf/summary_builder.h"

namespace cannery::train {

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
    if (!options.graph.empty()) {
        CANNERY_TRY(writer.writeGraph(options.graph));
    }
    SummaryRecorder recorder(options, std::move(writer));
    CANNERY_TRY(recorder.flush());
    return recorder;
}

Result<void> SummaryRecorder::flush()
{
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

void SummaryRecorder::tell(std::string_view tag, std::int64_t step, double value)
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
    summary.scalar(tag, value);
    CANNERY_TRY(write(step, summary));
    tell(tag, step, static_cast<double>(value));
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
    for (const plan::ModelSummary& value : values) {
        if (!value.histogram) {
            tell(value.tag, step, static_cast<double>(value.scalar));
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
    CANNERY_TRY(write(result.globalStep, summary));
    if (!result.checkpoint.empty()) {
        storage::SummaryBuilder path;
        path.stringTensor("checkpoint_path", result.checkpoint);
        CANNERY_TRY(write(result.globalStep, path));
    }
    for (const metrics::MetricValue& metric : result.metrics) {
        tell(metric.name, result.globalStep, metric.value);
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
