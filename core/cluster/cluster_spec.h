// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::cluster {

/// What a task of a cluster does, as in TF_CONFIG. The order is TensorFlow's order of global ids,
/// with the evaluator, which has none, last.
enum class TaskType
{
    Chief, ///< trains and saves; TensorFlow's older "master" as well
    Worker,
    ParameterServer,
    Evaluator, ///< evaluates the checkpoints that the others write; no member of the cluster
};

/// As in TF_CONFIG: "chief", "worker", "ps" or "evaluator".
std::string_view name(TaskType type);

/// The type with this name; "master" is a chief. None if there is no such type.
std::optional<TaskType> taskTypeOf(std::string_view name);

/// One process of a cluster.
struct Task
{
    TaskType type = TaskType::Worker;
    int index = 0;       ///< among the tasks of its type
    std::string address; ///< "host:port", "[IPv6 address]:port"

    bool operator==(const Task&) const = default;
};

/// "worker 2".
std::string describe(TaskType type, int index);

/// The cluster as one of its processes sees it, whatever launched it. A plain value; valid as
/// returned by readTfConfig() and by the adapters of launchers.
struct ClusterSpec
{
    /// Every task that trains or holds parameters, in rank order: the chief, the workers, the
    /// parameter servers, each by index. No evaluators. Empty if this process trains alone, and
    /// for an evaluator, as in RunConfig.cluster_spec.
    std::vector<Task> tasks;
    TaskType type = TaskType::Worker; ///< of this process
    int index = 0;
    bool chiefIsMaster = false; ///< the chief is called "master", as before TensorFlow 1.4
    bool hasEvaluator = false;  ///< a task evaluates what the others save; may be this one
    /// Dynamic workers: this process knows itself and the parameter servers, not the other workers.
    bool isSparse = false;
    std::string modelDir;              ///< model_dir of TF_CONFIG; empty if not given
    std::vector<std::string> warnings; ///< sentences on what was ignored, for the log

    /// This process is the whole cluster.
    bool isAlone() const;

    /// RunConfig.global_id_in_cluster: 0 for the chief, then the workers, then the parameter
    /// servers. Chief and workers are the ranks 0 … workerCount() - 1 of synchronous training.
    /// -1 for an evaluator.
    int rank() const;

    /// RunConfig.num_worker_replicas: chief and workers. 1 if alone, 0 for an evaluator.
    int workerCount() const;
    /// RunConfig.num_ps_replicas.
    int parameterServerCount() const;

    /// Whether this process leads: saves checkpoints, writes summaries, coordinates. The chief, or
    /// worker 0 of a cluster without one, as tf.distribute does.
    bool isChief() const;
    /// Where the leader listens; empty if alone, for an evaluator, or if the leader is not known
    /// (isSparse).
    std::string chiefAddress() const;
    /// Where this process listens; empty if alone and for an evaluator.
    std::string ownAddress() const;

    bool operator==(const ClusterSpec&) const = default;
};

/// Sorts tasks into rank order, evaluators last.
void sortByRank(std::vector<Task>& tasks);

/// Sets the tasks of a cluster, in any order, for the process that `spec` already names: sorts
/// them, leaves evaluators out, and for an evaluator everyone. "cluster.duplicate_address" if two
/// of those that train or hold parameters share an address.
Result<void> setTasks(ClusterSpec& spec, std::vector<Task> tasks);

/// The model_dir to use when `given` is the one of the experiment or the command line: either, if
/// only one is set (empty: none). "cluster.other_model_dir" if they differ, as in RunConfig.
Result<std::string> modelDirOf(const ClusterSpec& spec, std::string_view given);

} // namespace cannery::cluster
