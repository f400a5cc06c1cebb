// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/features/encoded_dataset.h"
#include "core/parameters/parameter_client.h"
#include "core/plan/step_trace.h"
#include "core/strategies/worker_group.h"
#include "core/train/checkpoints/checkpoint_sidecar.h"
#include "core/train/hooks/hook.h"
#include "core/train/loop/cluster_steps.h"
#include "core/train/loop/device_steps.h"
#include "core/train/loop/loop_end.h"
#include "core/train/loop/loop_place.h"
#include "core/train/loop/parameter_task.h"
#include "core/train/loop/progress_meter.h"
#include "core/train/loop/step_batches.h"
#include "core/train/loop/training_control.h"
#include "core/train/loop/training_observer.h"
#include "core/train/trainable_model.h"

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cannery::train {

struct TrainingOutcome
{
    StopReason reason = StopReason::InputEnded;
    std::string sentence; ///< the reason, for the user
    std::int64_t startStep = 0;
    std::int64_t globalStep = 0;
    double loss = 0; ///< of the last step
};

struct TrainingLoopOptions
{
    TrainableModel* model = nullptr;
    const features::EncodedDataset* rows = nullptr;
    IdleThreads idle; ///< gather batches, also while a step computes; may be empty
    data::ShardedInputOptions input;
    data::InputPosition position; ///< where the input resumes
    std::int64_t globalStep = 0;  ///< of the restored state
    std::optional<std::int64_t> maxSteps;
    std::string dataFingerprint; ///< for the sidecars of checkpoints
    std::string engine;
    const Clock* clock = &systemClock();
    TrainingObserver* observer = nullptr;        ///< not null
    const std::atomic<bool>* stop = nullptr;     ///< set by any thread: end after the current step
    TrainingControl* control = nullptr;          ///< user requests; may be null
    kernels::Accelerator* accelerator = nullptr; ///< the model's first, to report its use, or null
    /// TensorFlow's MirroredStrategy saves the slots of each replica, and needs them to resume.
    std::int64_t slotCopies = 1;
    strategies::WorkerGroup* group = nullptr; ///< trains in step with other processes
    /// Names the group of their GPUs, if these train; see plan::DeviceTraining::meetProcesses().
    std::function<Result<kernels::GroupId>()> makeGroupId;
    /// Trains at its own pace, like others, with variables that are kept elsewhere; attached.
    parameters::ParameterClient* parameters = nullptr;
    bool hasLeases = false; ///< is given its batches by them, counted from `position` on
    std::vector<plan::StateTensor>
        extraState; ///< saved with the model's, owned by the creators of the hooks
};

/// The training loop: takes batches from the pipeline, trains on them and calls the hooks, until
/// the input ends or a stop is requested. A cancelled loop ends like any other, with its
/// checkpoint, unless asked not to save. One thread.
class TrainingLoop
{
public:
    explicit TrainingLoop(TrainingLoopOptions options);
    ~TrainingLoop();

    void addHook(std::unique_ptr<Hook> hook);
    Result<TrainingOutcome> run();

    // For hooks.
    /// Brings the state that other processes or a GPU keep, before state() is called for a
    /// checkpoint.
    Result<void> bringState();
    std::int64_t globalStep() const { return m_place.globalStep; }
    /// Whether the weights have become their moving averages (plan::Model::takeAverages()), which
    /// is at the end and after the last step: a checkpoint of the step may have others.
    bool hasLastWeights() const { return m_hasLastWeights; }
    TrainableModel& model() { return *m_options.model; }
    const Clock& clock() const { return *m_options.clock; }
    TrainingObserver& observer() { return *m_options.observer; }
    /// The first batch of the step; no rows if the model reads the whole table. Errors: of
    /// gathering it, if the step had only its numbers.
    Result<const features::EncodedRows*> batch();
    /// The model's state and everything else that belongs in a checkpoint.
    std::vector<plan::StateTensor> state();
    /// For a checkpoint of this moment.
    CheckpointSidecar sidecar() const;
    /// The first reason counts.
    void requestStop(StopReason reason, std::string sentence)
    {
        m_end.request(reason, std::move(sentence));
    }
    /// True if there is no time for anything slow.
    bool isCancelled() const { return m_end.isCancelled(); }
    ProgressMeter& progress() { return m_progress; }
    /// Where the next step that is taken adds what takes its time; it must outlive that step.
    void traceNextStep(plan::StepTrace& trace) { m_nextTrace = &trace; }

private:
    Result<void> stepUntilStop();
    /// Nothing if the input has ended; otherwise how many rows.
    Result<std::optional<std::int64_t>> takeBatches();
    void stopIfLearned();
    Result<bool> step();
    Result<void> recordStep(const StepResult& result, const StepTimes& times);
    Result<void> recordPreparation(const StepResult& result);
    void takeAveragesAtEnd();
    bool isOnDevice() const { return m_device && m_device->areQueued(); }
    Result<void> setTable();
    void logWhereRowsAre();
    std::int64_t stepsAhead() const;
    Result<bool> stepsOnDevice();
    Result<void> recordAhead(const DeviceSteps::Taken& taken);
    Result<void> endIfLost(const Error& failure);
    Result<void> obey();
    Result<void> pause();
    Result<void> checkpoint();
    /// Nothing if the step was not applied, and must be repeated or was the last.
    Result<std::optional<double>> train(data::InputPosition before);
    Result<std::optional<double>> trainTraced(data::InputPosition before, plan::StepTrace& trace);
    Result<void> finish();
    std::string endOfInput() const;
    Progress report();
    double now() const { return m_options.clock->steadyTime(); }

    TrainingLoopOptions m_options;
    LoopPlace m_place;
    LoopEnd m_end;
    ProgressMeter m_progress;
    std::vector<std::unique_ptr<Hook>> m_hooks;
    std::int64_t m_startStep = 0;
    double m_loss = 0; ///< of the last step
    bool m_hasLastWeights = false;
    plan::StepTrace* m_nextTrace = nullptr;
    StepBatches m_batches;
    features::EncodedRows m_noRows;
    std::optional<ClusterSteps> m_cluster;
    std::optional<ParameterTask> m_parameters;
    std::optional<DeviceSteps> m_device; ///< nothing: the CPU trains, or a learner
};

} // namespace cannery::train
