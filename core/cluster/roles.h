// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/cluster/cluster_spec.h"

#include <string_view>
#include <vector>

namespace cannery::cluster {

/// The most tasks that a launcher's variables may describe: more is a typing mistake.
inline constexpr int kMostTasks = 65536;

/// Reads "chief:1,worker:7,ps:2", what the processes of a job are in the order of their ranks: a
/// task without an address for each. A type occurs once; its number may be 0. "cluster.bad_roles"
/// or "cluster.bad_role_count".
Result<std::vector<Task>> parseRoles(std::string_view roles);

} // namespace cannery::cluster
