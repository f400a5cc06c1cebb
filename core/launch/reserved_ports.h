// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <vector>

namespace cannery::launch {

/// Ports of 127.0.0.1 that the system chose. While this lives it gives them to nobody who asks for
/// any free port (port 0, outgoing connections), but a server that sets SO_REUSEADDR, as gRPC's
/// do, can listen at them, again and again: Linux refuses the second binding only if one of both
/// listens. No child process inherits the reservation.
class ReservedPorts
{
public:
    /// "launch.no_ports" if the system has no more.
    static Result<ReservedPorts> reserve(int count);
    ReservedPorts(ReservedPorts&& other) noexcept = default;
    ReservedPorts& operator=(ReservedPorts&&) = delete;
    ~ReservedPorts();

    const std::vector<int>& ports() const { return m_ports; }

private:
    ReservedPorts() = default;
    Result<void> reserveOne();

    std::vector<int> m_sockets;
    std::vector<int> m_ports;
};

} // namespace cannery::launch
