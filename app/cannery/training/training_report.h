// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console/console.h"
#include "core/base/exit_code.h"
#include "core/launch/stop_signals.h"
#include "core/train/train_and_evaluate.h"

#include <atomic>
#include <functional>
#include <string>

namespace cannery::app {

/// How the end of a training is reported: a small table with the locations of everything, or one
/// JSON object on stdout.
struct TrainingReportOptions
{
    bool json = false;
    bool quiet = false;
};

/// The options of a training.
struct TrainingWires
{
    train::TrainingObserver* observer = nullptr;
    const std::atomic<bool>* stop = nullptr;
    train::TrainingControl* control = nullptr;
    std::string folder; ///< of a run to continue after its engine died; a new run if empty
    std::string note;   ///< for the run's log

    /// Copies everything but the folder into a request.
    void connect(train::TrainRequest& request) const;
};

/// Calls trainAndEvaluate() or resumeRun() with everything connected.
using StartTraining = std::function<Result<train::TrainReport>(const TrainingWires&)>;

/// Runs a training with its control socket, signal handling and progress output.
ExitCode runTraining(Console& console, const TrainingReportOptions& options,
                     const StartTraining& start);

/// Like runTraining(), but with a further observer and without output.
Result<train::TrainReport> runControlled(Console& console, train::TrainingObserver& observer,
                                         TrainingWires wires, const launch::StopSignals& signals,
                                         const StartTraining& start);

/// The exit code of a training, which a signal may have stopped, possibly before its first step.
ExitCode exitCodeOf(const launch::StopSignals& signals, const Result<train::TrainReport>& report);

} // namespace cannery::app
