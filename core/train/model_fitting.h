// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/train/loop/step_profile.h"
#include "core/train/loop/training_loop.h"
#include "core/train/loop/training_observer.h"
#include "core/train/loop/training_setup.h"
#include "storage/io/file_system.h"

#include <atomic>
#include <optional>
#include <string>
#include <vector>

namespace cannery::train {

struct ModelFittingRequest
{
    const spec::Experiment& experiment; ///< resolved
    std::string folder;                 ///< base of its relative paths
    std::string modelDir;
    std::optional<std::string>
        latest; ///< checkpoint to resume from; without one, a fresh or warm start
    TrainingSetup& setup;
    /// Trains in step with other processes; all but the chief write nothing. May be null.
    strategies::WorkerGroup* group = nullptr;
    bool hasEvaluator = false; ///< another process evaluates and exports
    /// Trains at its own pace with variables that are kept elsewhere; the same. May be null.
    parameters::ParameterClient* parameters = nullptr;
    TrainingObserver& observer;
    const std::atomic<bool>* stop = nullptr;
    TrainingControl* control = nullptr;
    const Clock& clock;
    storage::FileSystem& system;
};

struct ModelFittingResult
{
    TrainingOutcome outcome;
    std::optional<EvaluationResult> evaluation;
    std::vector<ExportResult> exports;
    std::vector<std::string> warnings;
    StepProfile profile; ///< of the steps that hooks have traced
};

/// Restores or warm starts the model, gives the training loop the hooks of the experiment and of
/// its RunConfig, and runs it.
Result<ModelFittingResult> fitModel(const ModelFittingRequest& request);

} // namespace cannery::train
