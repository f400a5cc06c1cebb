// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/exit_code.h"
#include "core/launch/launch_output.h"
#include "core/launch/task_process.h"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace cannery::launch {

/// Watches a supervision on its thread; for who announces a run in the background.
class ClusterWatcher
{
public:
    virtual ~ClusterWatcher() = default;
    /// Many times a second.
    virtual void look() = 0;
    /// As `--json` prints it.
    virtual void failed(const std::string& errorJson) = 0;
};

struct ClusterSupervision
{
    std::vector<TaskProgram> tasks; ///< the chief first; it alone is shown
    std::string folder;             ///< of the chief's run; empty if not known
    int maxRestarts = 3;            ///< of all tasks together; 143 does not count
    bool canShrink = false;         ///< see ClusterEnd::lost
    bool continuesLog = false;      ///< the chief log is appended to
    ClusterWatcher* watcher = nullptr;
    /// Adds to the output of the chief what is known only at the end of all tasks; may be empty.
    std::function<std::string(const std::string&)> completeReport;
    /// Before the first restart; doubles with every restart of the same task, up to 30 seconds.
    std::chrono::milliseconds firstPause{250};
    /// How long workers may take to end by themselves once the chief is done.
    std::chrono::milliseconds patience{30'000};
    /// How long a task that was asked to end may take before it is killed.
    std::chrono::milliseconds grace{30'000};
};

struct ClusterEnd
{
    ExitCode code = ExitCode::Done;
    /// If the cluster can shrink: what happened to a task that trains and cannot be kept alive,
    /// "worker:1 was killed by signal 9". The others have been stopped, the chief with a checkpoint
    /// if it could.
    std::string lost;
};

/// Runs the processes of a cluster on this host until all have ended.
///
/// - A task that a signal ended, or that ended with a code from 128, is started again from where
///   its training continues. With the chief, workers that have already ended are, too. Any other
///   failure ends the cluster, as does one restart too many: the others get SIGTERM, and after a
///   while SIGKILL.
/// - The cluster is done when the chief has ended with 0. Workers that do not end then are asked
///   to; an evaluator, which has the last checkpoint to evaluate, has all the time it wants.
/// - SIGINT, SIGTERM and SIGHUP go to all tasks, nothing is started again, and all are waited for;
///   once the chief has ended, the others have the grace to end too. A second signal ends this
///   process, and with it all others.
///
/// Shows the chief's output, and a sentence for each restart and failure; for a failed worker the
/// last lines of its log. Returns the chief's exit code, or that of the first task that failed for
/// good. If it can shrink, one restart too many of a task that trains is not reported. A code of 1
/// gives way to a later and more telling one, since it often says only that another task has
/// failed, and a worker's failure to the same one of the chief. Call from the main thread: tasks
/// are killed when the calling thread ends.
ClusterEnd superviseCluster(LaunchOutput& output, const ClusterSupervision& supervision);

} // namespace cannery::launch
