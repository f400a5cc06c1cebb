// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace cannery::control {

/// What the limits of this process leave for a control socket. The underlying library aborts the
/// process if it cannot get a thread or memory, so the limits are checked first.
struct SocketBudget
{
    std::string
        objection; ///< why there can be no socket, with the limit's name; empty if there can
    std::size_t callers = 0;     ///< maximum number of clients
    std::size_t descriptors = 0; ///< every descriptor is below this number
};

/// Determines the files and memory left besides what training itself needs, and tests whether
/// threads can be started. `mostCallers`: maximum number of clients requested.
SocketBudget measureSocketBudget(std::size_t mostCallers);

} // namespace cannery::control
