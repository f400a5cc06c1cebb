#pragma once

#include "app/cannery/console.h"
#include "app/cannery/exit_code.h"
#include "core/train/training_run.h"

#include <atomic>
#include <functional>

namespace cannery::app {

/// Runs a training with signals caught and progress printed, and reports how it ended: a small
/// table and where everything is, or one JSON object on stdout.
struct TrainingReportOptions
{
    bool json = false;
    bool quiet = false;
};

/// `start` is trainAndEvaluate() or resumeRun() with the observer and stop flag it is given.
using StartTraining =
    std::function<Result<train::TrainReport>(train::TrainingObserver&, const std::atomic<bool>&)>;

ExitCode runTraining(Console& console, const TrainingReportOptions& options,
                     const StartTraining& start);

} // namespace cannery::app
