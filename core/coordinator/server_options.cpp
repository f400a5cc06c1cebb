// SPDX-License-Identifier: Apache-2.0
#include "core/coordinator/server_options.h"

#include <grpcpp/server_builder.h>

namespace cannery::coordinator {

namespace {

constexpr int kPingEveryMs = 20000;
constexpr int kPingAnswerMs = 10000;

} // namespace

void setUpServer(grpc::ServerBuilder& builder, const cluster::HostPort& address, int& port)
{
    builder.AddListeningPort(cluster::addressText(address), grpc::InsecureServerCredentials(),
                             &port);
    // Otherwise two servers on one host would share the port, each with half of the tasks.
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, kPingEveryMs);
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kPingAnswerMs);
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
}

} // namespace cannery::coordinator
