// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/launch/task_process.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cannery::launch {

/// A cluster of trainings on this host, as `cannery launch` was asked for it.
struct LocalCluster
{
    int workers = 1; ///< with the chief
    int parameterServers = 0;
    bool hasEvaluator = false;
    std::string program;                 ///< that trains: this one
    std::vector<std::string> words;      ///< `train FILE …` of every task
    std::vector<std::string> chiefWords; ///< more of the chief, which reports the result
    std::string logFolder;
};

/// The number of addresses of a cluster.
int taskCount(const LocalCluster& cluster);

/// The processes of a cluster, the chief first, the evaluator last: `cannery train` with its own
/// TF_CONFIG, at 127.0.0.1 and these ports, and CANNERY_JOB_TOKEN, which nobody else knows. The
/// chief's is shown.
std::vector<TaskProgram> programsOf(const LocalCluster& cluster, const std::vector<int>& ports,
                                    const std::string& token);

/// The most workers that can go on when one of `workers` cannot be kept alive, at least `fewest`;
/// 0 if there are none. They share virtual_shards equally (0 if unset), so that the training keeps
/// its bits.
int fewerWorkers(int workers, int fewest, std::int64_t virtualShards);

/// A new secret: 32 random hexadecimal digits.
std::string newJobToken();

} // namespace cannery::launch
