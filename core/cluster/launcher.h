// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/cluster/cluster_spec.h"
#include "core/cluster/environment.h"

#include <optional>
#include <string>

namespace cannery::cluster {

/// TensorFlow's and Kubeflow's port of a task.
inline constexpr int kDefaultPort = 2222;

/// Where the adapters look for what the command line did not say.
inline constexpr std::string_view kRolesVariable = "CANNERY_ROLES";
inline constexpr std::string_view kHostsVariable = "CANNERY_HOSTS";
inline constexpr std::string_view kPortVariable = "CANNERY_PORT";

/// The job's secret, known to its tasks alone: whoever does not name it cannot join the cluster.
inline constexpr std::string_view kTokenVariable = "CANNERY_JOB_TOKEN";

/// "1": a task evaluates, although TF_CONFIG does not list it, as older operators leave it out.
inline constexpr std::string_view kEvaluatorVariable = "CANNERY_EVALUATOR";

/// What the variables of a launcher do not say.
struct AdapterOptions
{
    std::string roles; ///< "chief:1,worker:7", by rank; see parseRoles()
    /// The host of each rank of an Indexed Job: "mnist-{index}.mnist".
    std::string hosts;
    std::optional<int> port; ///< on which tasks listen; of the first task on a node under Slurm
};

/// The cluster that this process is part of, by the variables of whatever launched it; none if
/// nothing says that there is one. The first that applies:
///  1. TF_CONFIG (Kubeflow, `cannery launch`, by hand): readTfConfig().
///  2. An Indexed Job of Kubernetes, if roles are given: JOB_COMPLETION_INDEX is the rank. Without
///     roles such a job is a set of independent runs.
///  3. A step of Slurm (`srun`) with more than one task: clusterOfSlurm().
/// Options that are not set are taken from CANNERY_ROLES, CANNERY_HOSTS and CANNERY_PORT.
/// "cluster.roles_without_launcher" if there are roles but no variables that say which one is ours.
Result<std::optional<ClusterSpec>> clusterOfEnvironment(const Environment& environment,
                                                        const AdapterOptions& options = {});

} // namespace cannery::cluster
