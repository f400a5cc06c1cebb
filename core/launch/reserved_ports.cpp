// SPDX-License-Identifier: Apache-2.0
#include "core/launch/reserved_ports.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace cannery::launch {

namespace {

constexpr ErrorKind kNoPorts{
    "launch.no_ports",
    "The system gave no free port of 127.0.0.1 to a task of the cluster: {}. Close other programs, "
    "or start fewer workers."};

} // namespace

Result<ReservedPorts> ReservedPorts::reserve(int count)
{
    ReservedPorts reserved;
    for (int i = 0; i < count; ++i) {
        CANNERY_TRY(reserved.reserveOne());
    }
    return reserved;
}

ReservedPorts::~ReservedPorts()
{
    for (const int descriptor : m_sockets) {
        close(descriptor);
    }
}

Result<void> ReservedPorts::reserveOne()
{
    const auto failure = [] {
        return fail(ErrorCode::ResourceExhausted, kNoPorts, std::strerror(errno));
    };
    const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) {
        return failure();
    }
    // Kept open until the tasks begin, so that nobody else gets the port.
    m_sockets.push_back(descriptor);
    const int yes = 1;
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    // Port 0: the system chooses a free one.
    if (setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) != 0 ||
        bind(descriptor, generic, size) != 0 || getsockname(descriptor, generic, &size) != 0) {
        return failure();
    }
    m_ports.push_back(ntohs(address.sin_port));
    return {};
}

} // namespace cannery::launch
