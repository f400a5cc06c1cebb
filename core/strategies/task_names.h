// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/cluster/cluster_spec.h"
#include "core/cluster/host_port.h"

#include <fmt/core.h>

#include <string>

namespace cannery::strategies {

/// "worker:1", as TensorFlow writes tasks.
inline std::string taskName(const cluster::Task& task)
{
    return fmt::format("{}:{}", cluster::name(task.type), task.index);
}

inline std::string hostOf(const std::string& address)
{
    const auto parsed = cluster::parseHostPort(address, "this task");
    return parsed ? parsed->host : address;
}

} // namespace cannery::strategies
