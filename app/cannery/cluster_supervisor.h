// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console.h"
#include "app/cannery/exit_code.h"
#include "app/cannery/task_process.h"

#include <chrono>
#include <string>
#include <vector>

namespace cannery::app {

struct ClusterSupervision
{
    std::vector<TaskProgram> tasks; ///< the chief first; it alone is shown
    std::string folder;             ///< of the chief's run; empty: not known
    int maxRestarts = 3;            ///< of all tasks together; 143 does not count
    /// Before the first restart; doubles with every restart of the same task, up to 30 seconds.
    std::chrono::milliseconds firstPause{250};
    /// How long workers may take to end by themselves once the chief is done.
    std::chrono::milliseconds patience{30'000};
    /// How long a task that was asked to end may take before it is killed.
    std::chrono::milliseconds grace{30'000};
};

/// Runs the processes of a cluster on this host until all have ended.
///
/// - A task that a signal ended, or that ended with a code from 128, is started again from where
///   its training continues. With the chief, workers that have already ended are, too. Any other
///   failure ends the cluster, as does one restart too many: the others get SIGTERM, and after a
///   while SIGKILL.
/// - The cluster is done when the chief has ended with 0. Workers that then do not end by
/// themselves
///   are asked to; an evaluator, which has the last checkpoint to evaluate, has all the time it
///   wants.
/// - SIGINT, SIGTERM and SIGHUP go to all tasks, nothing is started again, and all are waited for;
///   once the chief has ended, the others have the grace to end too. A second signal ends this
///   process, and with it all others.
///
/// Shows the chief's output, and a sentence for each restart and failure; for a failed worker the
/// last lines of its log. Returns the chief's exit code, or that of the first task that failed for
/// good. A code of 1 gives way to a later and more telling one, since it often says only that
/// another task has failed, and a worker's failure to the same one of the chief. Call from the main
/// thread: tasks are killed when the calling thread ends.
ExitCode superviseCluster(Console& console, const ClusterSupervision& supervision);

} // namespace cannery::app
