// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/cluster/environment.h"
#include "core/parameters/parameter_client.h"
#include "core/spec/experiment.pb.h"
#include "core/strategies/worker_group.h"

#include <atomic>
#include <memory>
#include <string>

namespace cannery::app {

/// What the launcher of this process has passed to it about its cluster.
struct ClusterRole
{
    std::string modelDir;      ///< of the command line or of TF_CONFIG; may be empty
    std::string note;          ///< on what of TF_CONFIG was ignored; empty if nothing was
    bool isInCluster = false;  ///< of one task or more
    bool isEvaluator = false;  ///< it evaluates what the others save
    bool hasEvaluator = false; ///< such a process is in the cluster
    /// Both null if this process trains alone.
    std::unique_ptr<strategies::WorkerGroup> group;
    std::unique_ptr<parameters::ParameterClient> parameters;
};

struct TaskCounts
{
    int workers = 1; ///< the chief included
    int servers = 0; ///< of parameters
};

/// Whether the experiment's strategy trains with such tasks: "cluster.strategy_of_one_machine",
/// "cluster.unused_servers", "cluster.no_servers", or that of strategies::shardingOf().
Result<void> checkStrategy(const spec::Experiment& experiment, const TaskCounts& tasks);

/// Reads TF_CONFIG, or what Kubernetes or Slurm say instead. `modelDir`: of the command line;
/// `stop` ends waiting for other processes. Errors: those of clusterOfEnvironment(),
/// "cluster.other_model_dir", those of checkStrategy(), and "cluster.…" for a task that this
/// version does not have.
Result<ClusterRole> clusterRole(const spec::Experiment& experiment, const std::string& modelDir,
                                const cluster::Environment& environment,
                                const std::atomic<bool>* stop);

} // namespace cannery::app
