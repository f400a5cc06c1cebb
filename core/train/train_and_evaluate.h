// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/parameters/parameter_client.h"
#include "core/spec/experiment.pb.h"
#include "core/strategies/worker_group.h"
#include "core/train/loop/step_profile.h"
#include "core/train/loop/training_loop.h"
#include "core/train/loop/training_observer.h"
#include "storage/io/file_system.h"
#include "storage/runs/run_record.h"

#include <atomic>
#include <optional>
#include <string>
#include <vector>

namespace cannery::train {

struct TrainRequest
{
    spec::Experiment experiment; ///< valid; resolved or not
    std::string experimentFile;  ///< absolute; base folder of relative paths
    /// Where to train: a new or an existing model_dir, TensorFlow's too. Empty: a new run in the
    /// project around the file.
    std::string modelDir;
    std::optional<int> threads;       ///< replaces run_config.threads
    std::optional<std::int64_t> seed; ///< replaces run_config.tf_random_seed
    std::string note;                 ///< a warning for the run's log; empty if there is none
    /// Trains in step with the other processes of a cluster; all but the chief only compute, and
    /// write nothing. Not opened yet; outlives the call. Null: this process trains alone.
    strategies::WorkerGroup* group = nullptr;
    /// Another process of the cluster evaluates and exports, see evaluateContinuously().
    bool hasEvaluator = false;
    /// Trains with variables that parameter servers keep, beside other processes; the same.
    parameters::ParameterClient* parameters = nullptr;
    /// Whether the programs of train_spec.saving_listener may be run.
    bool allowsCommands = false;
    TrainingObserver* observer = nullptr;
    const std::atomic<bool>* stop = nullptr; ///< set it to stop after the current step, and save
    TrainingControl* control = nullptr;      ///< user requests: pause, checkpoint, stop
    const Clock* clock = &systemClock();
    storage::FileSystem* system = &storage::realFileSystem();
};

struct TrainReport
{
    std::string modelDir;
    std::string runName; ///< of a run in a project; otherwise empty
    /// The latest checkpoint has already reached max_steps: nothing was done.
    bool wasDoneBefore = false;
    bool isOfEvaluator = false; ///< it trained nothing, and saved no checkpoint
    storage::RunState state = storage::RunState::Finished;
    TrainingOutcome outcome;
    std::optional<EvaluationResult> evaluation; ///< the last one
    std::vector<ExportResult> exports;
    DataSummary data;
    StepProfile profile; ///< of the steps that a profiler_hook has traced
    /// Failures outside the training itself, as sentences: records that could not be written.
    std::vector<std::string> warnings;
};

/// train_and_evaluate of tf.estimator on this machine, into a run's folder: starts fresh, resumes
/// the model_dir from its latest checkpoint and input position, or warm starts. Everything is
/// recorded there (see RunRecorder). Setting `stop` ends it as Stopped, with its checkpoint, and so
/// does `control`, which also evaluates. Errors: those of data, experiment and model before
/// anything is written, "train.commands_not_allowed", and "base.interrupted" if `stop` was set by
/// then; "run.locked", "train.other_experiment", "train.nan_loss", and any disk error; the run is
/// then Failed and keeps its checkpoints.
Result<TrainReport> trainAndEvaluate(const TrainRequest& request);

/// Resumes a run by the experiment in its folder. `maxSteps` replaces train_spec.max_steps.
Result<TrainReport> resumeRun(const std::string& runFolder, TrainRequest request,
                              std::optional<std::int64_t> maxSteps = std::nullopt);

} // namespace cannery::train
