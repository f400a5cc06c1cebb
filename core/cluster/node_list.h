// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace cannery::cluster {

/// The hosts of Slurm's compressed list, in its order: "node[01-03,7],gpu5" is node01, node02,
/// node03, node7, gpu5 (`scontrol show hostnames` prints the same). A name may have several groups
/// and text between and after them; leading zeros are kept. "cluster.bad_node_list", also if it
/// names more than kMostTasks hosts.
Result<std::vector<std::string>> parseNodeList(std::string_view list);

/// Slurm's number of tasks on each node, in the order of the nodes: "2(x3),1" is 2, 2, 2, 1.
/// "cluster.bad_tasks_per_node", also if it does not have a positive number for each node.
Result<std::vector<int>> parseTasksPerNode(std::string_view counts, std::size_t nodes);

} // namespace cannery::cluster
