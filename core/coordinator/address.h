// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/cluster/host_port.h"

#include <string>

namespace cannery::coordinator {

/// True for a host that only this computer can reach: "localhost", 127.x.x.x, "::1".
bool isLoopback(const std::string& host);

/// Where a server that others reach at this address listens: on one interface for a host of this
/// computer alone, otherwise on all.
cluster::HostPort toListenAt(cluster::HostPort address);

/// Looks up a host by the system's rules (files, DNS, directories): a target for gRPC with all its
/// addresses of one family, such as "ipv4:10.0.0.1:2222,10.0.0.2:2222". Waits for the system's
/// resolver. "coordinator.unknown_host".
Result<std::string> resolve(const cluster::HostPort& address);

/// Why a port of this host cannot be listened at, as an errno; 0 if it can.
int objectionToListening(const std::string& numericHost, int port);

} // namespace cannery::coordinator
