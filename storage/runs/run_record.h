// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::storage {

/// The state of a run. Preparing to Finishing require a living owner (see RunLock); without one, a
/// run in such a state is Interrupted.
enum class RunState
{
    Queued,
    Preparing,
    Running,
    Paused,
    Finishing,
    Finished,
    Stopped,
    Failed,
    Interrupted,
};

/// "Running"; also the text in files and in the store.
std::string_view name(RunState state);
std::optional<RunState> runStateFromName(std::string_view name);
/// True for the states that require a living owner.
bool needsOwner(RunState state);

/// One field of the flattened experiment: "run_config.tf_random_seed" = "42".
struct RunParameter
{
    std::string path;
    std::string value;

    bool operator==(const RunParameter&) const = default;
};

/// The immutable facts about a run. All times are seconds since 1970.
struct RunInfo
{
    std::string name; ///< of its folder below runs/, unique in the project
    std::string experimentName;
    std::string experimentFile; ///< absolute path it was started from
    std::string estimator;      ///< "dnn_classifier"
    std::string engine;         ///< version, instruction set and the model of a GPU that trains
    /// What trains, and what was measured to choose it: "CPU", "GPU:0 (NVIDIA H100 80GB HBM3),
    /// float32: 4120 steps/s, 812 on the CPU". Empty if not recorded.
    std::string device = {};
    std::string dataFingerprint;
    std::int64_t trainRows = 0;
    std::int64_t evalRows = 0;
    std::int64_t rowsPerStep = 0; ///< of all replicas; 0: not recorded
    double createdAt = 0;
    std::vector<RunParameter> parameters;

    bool operator==(const RunInfo&) const = default;
};

struct RunStatus
{
    RunState state = RunState::Queued;
    std::string reason; ///< why it stopped or failed, a sentence; otherwise empty
    std::int64_t globalStep = 0;
    std::optional<std::int64_t> maxSteps;
    double updatedAt = 0;
    std::optional<double> startedAt;  ///< of its last session
    std::optional<double> finishedAt; ///< of its last session
    double secondsBefore = 0;         ///< in all earlier sessions together

    bool operator==(const RunStatus&) const = default;
};

struct MetricValue
{
    std::string name;
    double value = 0;

    bool operator==(const MetricValue&) const = default;
};

/// The result of a metric that is more than a number: a confusion matrix, numbers of each class.
struct ResultTable
{
    std::string name; ///< of the metric
    std::vector<std::string> rows;
    std::vector<std::string> columns;
    std::vector<double> values; ///< rows × columns, row-major

    bool operator==(const ResultTable&) const = default;
};

/// The metrics of a group of evaluation rows.
struct SliceGroup
{
    /// One for each column of the slice; nothing for a missing value. Empty for the small groups
    /// together.
    std::vector<std::optional<std::string>> values;
    std::int64_t merged = 0; ///< number of groups put together as this one; 0: none
    std::int64_t rows = 0;
    std::vector<MetricValue> metrics;

    bool operator==(const SliceGroup&) const = default;
};

/// Every group of rows with the same values in some columns, the largest first.
struct EvaluationSlice
{
    std::vector<std::string> columns;
    std::vector<SliceGroup> groups;

    bool operator==(const EvaluationSlice&) const = default;
};

/// Rows below which the metrics of a group say little.
inline constexpr std::int64_t kFewSliceRows = 30;

/// What stands for a missing value in texts.
inline constexpr std::string_view kMissingValue = "(missing)";

/// "male, (missing)", or "12 small groups".
std::string describe(const SliceGroup& group);

/// One evaluation of one checkpoint.
struct RunEvaluation
{
    std::string name; ///< of the eval_spec; empty for the unnamed one
    std::int64_t globalStep = 0;
    double wallTime = 0;
    std::vector<MetricValue> metrics;
    // In the files of a run only: the store's table of evaluations has the metrics.
    std::vector<ResultTable> tables = {};
    std::vector<EvaluationSlice> slices = {};

    bool operator==(const RunEvaluation&) const = default;
};

/// A checkpoint on disk.
struct RunCheckpoint
{
    std::int64_t globalStep = 0;
    std::uint64_t bytes = 0;
    double savedAt = 0;
    /// "latest", "recent", "best auc" (the metric), "kept every n hours", "could not be deleted";
    /// the newest one may be "latest, best auc".
    std::string keptBecause;

    bool operator==(const RunCheckpoint&) const = default;
};

/// The statistics of one tag's scalars in one event folder of a run.
struct TagStatistics
{
    std::string folder; ///< "" for training, "eval", "eval_<name>"
    std::string tag;
    std::int64_t count = 0;
    std::int64_t lastStep = 0;
    double last = 0;
    double min = 0;
    std::int64_t minStep = 0;
    double max = 0;
    std::int64_t maxStep = 0;

    bool operator==(const TagStatistics&) const = default;
};

/// State of an export, so that a killed program leaves no wrong record of it.
enum class ExportState
{
    Done,     ///< it exists
    Writing,  ///< it may exist
    Deleting, ///< it may no longer exist
};

struct RunExport
{
    std::string exporter; ///< name of the exporter; empty for a manual export
    std::string path;     ///< of the SavedModel, relative to the run's folder when inside it
    std::int64_t globalStep = 0;
    double exportedAt = 0;
    ExportState state = ExportState::Done;

    bool operator==(const RunExport&) const = default;
};

/// Number of colours available for runs.
inline constexpr std::int64_t kColourSlots = 16;

/// Users' annotations of a run; kept separate from its records.
struct RunAnnotations
{
    std::string title; ///< shown instead of the name; empty if there is none
    std::string notes;
    std::vector<std::string> tags; ///< sorted
    bool star = false;
    std::string colour; ///< "#1d99f3"; empty if there is none
    std::optional<double> trashedAt;
    std::optional<std::int64_t> colourSlot; ///< 0 … kColourSlots - 1; see assignColourSlots()

    bool operator==(const RunAnnotations&) const = default;
};

/// A row of the list of runs.
struct RunSummary
{
    RunInfo info; ///< without its parameters
    RunStatus status;
    RunAnnotations annotations;
    std::optional<RunEvaluation> lastEvaluation;
};

/// Everything the store knows about a run.
struct RunDetails
{
    RunInfo info;
    RunStatus status;
    RunAnnotations annotations;
    std::vector<RunEvaluation> evaluations; ///< by step
    std::vector<RunCheckpoint> checkpoints; ///< by step
    std::vector<TagStatistics> tags;        ///< by folder and tag
    std::vector<RunExport> exports;         ///< by time
};

} // namespace cannery::storage
