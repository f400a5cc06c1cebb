// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/cluster/host_port.h"

namespace grpc {
class ServerBuilder;
} // namespace grpc

namespace cannery::coordinator {

/// What the servers of a cluster's tasks have in common: they listen at an address that nobody else
/// may listen at, and close connections whose peers answer no ping. When the server is started,
/// `port` gets the port in use; 0 if it cannot listen there.
void setUpServer(grpc::ServerBuilder& builder, const cluster::HostPort& address, int& port);

} // namespace cannery::coordinator
