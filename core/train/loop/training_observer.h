// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/metrics/metric_set.h"
#include "storage/runs/run_record.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::reports {
class TaskStatus;
} // namespace cannery::reports

namespace cannery::train {

/// How a device other than the CPU is used, by all programs.
struct DeviceUse
{
    std::int64_t usedBytes = 0;
    std::int64_t memoryBytes = 0; ///< that it has
    std::optional<double> busy;   ///< fraction of the last moments; nothing if it does not tell
};

/// Progress of a training.
struct Progress
{
    std::int64_t globalStep = 0;
    std::optional<std::int64_t> maxSteps;
    double loss = 0;
    double stepsPerSecond = 0; ///< over the last seconds; 0 if not known yet
    double rowsPerSecond = 0;
    double epochs = 0;     ///< passes over the training rows, from the very beginning
    double inputWait = 0;  ///< fraction of the step time spent waiting for rows, [0, 1]
    double deviceBusy = 0; ///< fraction of the step time spent computing, [0, 1]
    /// Includes evaluations and saves at their rate so far; nothing until there is evidence.
    std::optional<double> secondsLeft;
    std::optional<DeviceUse> device; ///< nothing: the CPU trains
};

/// One evaluation of one checkpoint.
struct EvaluationResult
{
    std::string name; ///< of the eval_spec; may be empty
    std::int64_t globalStep = 0;
    std::string checkpoint;                    ///< prefix
    std::vector<metrics::MetricValue> metrics; ///< sorted by name, including `loss`
    std::vector<storage::ResultTable> tables;
    std::vector<storage::EvaluationSlice> slices;
    std::int64_t rows = 0;
    double seconds = 0;
    bool isRecorded = false; ///< in the run's files, by an evaluator: another process
    std::string note;        ///< where it ran, if that is new; empty: as before, or on the CPU

    /// The value of a metric, or nothing.
    std::optional<double> find(std::string_view metric) const;
    /// As the run's files keep it.
    storage::RunEvaluation record(double wallTime) const;
};

/// A run's data.
struct DataSummary
{
    std::int64_t trainRows = 0;
    std::int64_t evalRows = 0;
    std::int64_t skippedRows = 0;
    std::vector<std::string> warnings;
    std::string fingerprint;
    std::vector<std::string> notes; ///< sentences on where the rows came from or are kept
    int threads = 0;                ///< number of training threads
    std::string device = "CPU";     ///< that trains: "GPU:0 (NVIDIA H100 80GB HBM3)"
    /// RunInfo::device.
    std::string deviceChoice;
};

struct ExportResult
{
    std::string exporter;
    std::string path;
    std::int64_t globalStep = 0;
    std::vector<std::string> deleted; ///< paths of older ones deleted in exchange
};

enum class LogLevel
{
    Info,
    Warning,
    Error,
};

/// Receives the events of a training, in order, on the training thread. Must be fast.
class TrainingObserver
{
public:
    virtual ~TrainingObserver() = default;

    /// The folder is claimed: no other process trains there. Rows are read before or after this.
    virtual void opened(const std::string& /*modelDir*/) {}
    virtual void dataLoaded(const DataSummary&) {}
    virtual void stateChanged(storage::RunState, const std::string& /*reason*/) {}
    virtual void started(std::int64_t /*globalStep*/, std::optional<std::int64_t> /*maxSteps*/) {}
    /// After every step.
    virtual void stepDone(std::int64_t /*globalStep*/, double /*loss*/) {}
    /// Ten times a second at most, and after the last step.
    virtual void progressed(const Progress&) {}
    /// Of a cluster's chief: itself first, a few times a second at most.
    virtual void workersSeen(const std::vector<reports::TaskStatus>&) {}
    virtual void checkpointSaved(std::int64_t /*globalStep*/, const std::string& /*prefix*/) {}
    /// All that are now on disk, after a save and its deletions.
    virtual void checkpointsChanged(const std::vector<storage::RunCheckpoint>&) {}
    virtual void evaluated(const EvaluationResult&) {}
    virtual void exported(const ExportResult&) {}
    /// All existing exports, after one was made and older ones were deleted.
    virtual void exportsChanged(const std::vector<storage::RunExport>&) {}
    /// A value was written to an event file of the folder ("" for training, "eval").
    virtual void scalarLogged(std::string_view /*folder*/, std::string_view /*tag*/,
                              std::int64_t /*step*/, double /*value*/)
    {}
    /// An event file was flushed: this many bytes of it may be read.
    virtual void fileGrew(const std::string& /*path*/, std::uint64_t /*bytes*/) {}
    /// Activity other than training: "Evaluating"; empty when it trains again.
    virtual void activityChanged(std::string_view) {}
    /// A whole sentence for the log.
    virtual void logged(LogLevel, std::string_view) {}
    /// The same with a stable id ("health.nan_loss") for programs.
    virtual void noted(LogLevel level, std::string_view /*id*/, std::string_view sentence)
    {
        logged(level, sentence);
    }
};

/// Passes everything on to several observers, in order. They must outlive it.
class ObserverList : public TrainingObserver
{
public:
    void add(TrainingObserver& observer) { m_observers.push_back(&observer); }

    void opened(const std::string& modelDir) override;
    void dataLoaded(const DataSummary& data) override;
    void stateChanged(storage::RunState state, const std::string& reason) override;
    void started(std::int64_t globalStep, std::optional<std::int64_t> maxSteps) override;
    void stepDone(std::int64_t globalStep, double loss) override;
    void progressed(const Progress& progress) override;
    void workersSeen(const std::vector<reports::TaskStatus>& workers) override;
    void checkpointSaved(std::int64_t globalStep, const std::string& prefix) override;
    void checkpointsChanged(const std::vector<storage::RunCheckpoint>& checkpoints) override;
    void evaluated(const EvaluationResult& result) override;
    void exported(const ExportResult& result) override;
    void exportsChanged(const std::vector<storage::RunExport>& exports) override;
    void scalarLogged(std::string_view folder, std::string_view tag, std::int64_t step,
                      double value) override;
    void fileGrew(const std::string& path, std::uint64_t bytes) override;
    void activityChanged(std::string_view activity) override;
    void logged(LogLevel level, std::string_view sentence) override;
    void noted(LogLevel level, std::string_view id, std::string_view sentence) override;

private:
    std::vector<TrainingObserver*> m_observers;
};

} // namespace cannery::train
