// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/cluster/cluster_spec.h"
#include "core/cluster/environment.h"
#include "core/cluster/launcher.h"

namespace cannery::cluster {

/// Whether `srun` started this process with others. Not so for a batch script, and for a step of
/// one task.
bool isSlurmStep(const Environment& environment);

/// The cluster of a step of Slurm. Rank SLURM_PROCID of SLURM_NTASKS has the role of that number;
/// without roles rank 0 is the chief and the others are workers.
///
/// Hosts: SLURM_STEP_NODELIST, filled by SLURM_STEP_TASKS_PER_NODE block by block, or in turn if
/// SLURM_DISTRIBUTION is cyclic; the own one must be SLURMD_NODENAME where that is set. Ports: the
/// tasks of a node have consecutive ones. The first is the option's, or between 10000 and 32399 by
/// SLURM_JOB_ID, SLURM_STEP_ID and SLURM_RESTART_COUNT, so that neither another job on the node nor
/// a leftover of the run before a requeue is taken for a task of this one. (Linux gives ports from
/// 32768 to outgoing connections.)
///
/// "cluster.slurm_variable" for a variable that is missing or no number, "cluster.slurm_roles",
/// "cluster.slurm_distribution", "cluster.slurm_other_node", "cluster.slurm_tasks", or an error of
/// the roles, of the node list or of an address.
Result<ClusterSpec> clusterOfSlurm(const Environment& environment, const AdapterOptions& options);

} // namespace cannery::cluster
