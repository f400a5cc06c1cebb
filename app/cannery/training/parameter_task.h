// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console/console.h"
#include "core/base/exit_code.h"
#include "core/cluster/cluster_spec.h"
#include "core/cluster/environment.h"
#include "core/parameters/parameter_client.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <string>

namespace cannery::app {

/// Whether this process is a parameter server of its cluster.
bool isParameterServer(const cluster::Environment& environment);

/// Is a parameter server until the chief has ended the training. `threads`: 0: this machine's.
ExitCode serveParameters(Console& console, const cluster::Environment& environment, int threads);

/// The way of a task that trains to the parameter servers of its cluster, which may take
/// `startWait` to appear.
std::unique_ptr<parameters::ParameterClient>
parameterClient(const cluster::ClusterSpec& cluster, const spec::ParameterServerStrategy& strategy,
                const std::string& token, std::chrono::milliseconds startWait,
                const std::atomic<bool>* stop);

} // namespace cannery::app
