// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console/console.h"
#include "app/cannery/console/options.h"
#include "app/cannery/training/training_report.h"
#include "core/base/exit_code.h"

#include <cstdint>
#include <optional>

namespace cannery::app {

/// Of --allow-commands.
inline constexpr const char* kAllowCommandsHelp =
    "run the programs of train_spec.saving_listener; without this, an experiment that has any is "
    "refused";

/// How a command starts its training: here or in the background, with a supervisor or without.
struct TrainingLaunchOptions
{
    bool detach = false;
    std::optional<std::int64_t> restarts;
    bool isNice = false;

    void declare(OptionSet& options);
};

/// --detach: starts this program again in the background with the same arguments, waits until that
/// announces its run or an error, prints it and returns the exit code. Nothing in the process that
/// was started so: it goes on, and announces by backgroundPipe().
std::optional<ExitCode> goIntoBackground(Console& console);

/// Starts a training as the options say: in this process, under a supervisor (this process), or
/// with --detach under a supervisor in a session of its own, which is this program started again
/// with the same arguments. With --detach it returns as soon as the run's folder exists, having
/// printed `{"run","folder","supervisor_pid"}` or a sentence, or the error that came first.
ExitCode launchTraining(Console& console, const TrainingLaunchOptions& launch,
                        const TrainingReportOptions& report, const StartTraining& start);

} // namespace cannery::app
