// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/cluster/manifests.h"

#include <string>
#include <string_view>

namespace cannery::cluster {

/// A text as one word of a POSIX shell, whatever it contains (but a zero byte).
std::string shellWord(std::string_view text);

/// A script for sbatch: one step with all tasks, which find each other by clusterOfSlurm(). The job
/// is queued again after a preemption and if the step ends with 128 or more. The request is
/// checked.
std::string slurmScript(const ManifestRequest& request);

} // namespace cannery::cluster
