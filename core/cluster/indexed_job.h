// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/cluster/cluster_spec.h"
#include "core/cluster/environment.h"
#include "core/cluster/launcher.h"

namespace cannery::cluster {

/// Whether this process is in a pod of an Indexed Job of Kubernetes.
bool isIndexedJob(const Environment& environment);

/// The cluster of an Indexed Job: the pod with JOB_COMPLETION_INDEX i has the i-th role, and is
/// found at `hosts` with i in place of "{index}" (a pod's stable name is "<job>-<i>.<headless
/// service>"), on the same port everywhere. "cluster.bad_completion_index",
/// "cluster.bad_host_pattern", or an error of the roles or of an address.
Result<ClusterSpec> clusterOfIndexedJob(const Environment& environment,
                                        const AdapterOptions& options);

} // namespace cannery::cluster
