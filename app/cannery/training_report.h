// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console.h"
#include "app/cannery/exit_code.h"
#include "app/cannery/stop_signals.h"
#include "core/train/train_and_evaluate.h"

#include <atomic>
#include <functional>
#include <string>

namespace cannery::app {

/// How it is reported how a training ended: a small table and where everything is, or one JSON
/// object on stdout.
struct TrainingReportOptions
{
    bool json = false;
    bool quiet = false;
};

/// What a training is given by whoever runs it.
struct TrainingWires
{
    train::TrainingObserver* observer = nullptr;
    const std::atomic<bool>* stop = nullptr;
    train::TrainingControl* control = nullptr;
    std::string folder; ///< of a run that goes on after its engine died; empty: begin
    std::string note;   ///< for the run's log

    /// Puts all but the folder into a request.
    void connect(train::TrainRequest& request) const;
};

/// Ends in trainAndEvaluate() or resumeRun() with the wires connected.
using StartTraining = std::function<Result<train::TrainReport>(const TrainingWires&)>;

/// Runs a training with its control socket, signals caught and progress printed.
ExitCode runTraining(Console& console, const TrainingReportOptions& options,
                     const StartTraining& start);

/// Trains under the same signals and socket, told to a further observer, and prints nothing.
Result<train::TrainReport> runControlled(Console& console, train::TrainingObserver& observer,
                                         TrainingWires wires, const StopSignals& signals,
                                         const StartTraining& start);

/// What the shell is told of a training, which a signal may have stopped, in time or before its
/// first step.
ExitCode exitCodeOf(const StopSignals& signals, const Result<train::TrainReport>& report);

} // namespace cannery::app
