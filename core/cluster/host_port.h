// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>

namespace cannery::cluster {

inline constexpr int kHighestPort = 65535;

/// An address of a task, in two parts.
struct HostPort
{
    std::string host; ///< a name, an IPv4 address, or an IPv6 address without brackets
    int port = 0;     ///< 1 … 65535

    bool operator==(const HostPort&) const = default;
};

/// Reads "host:port" or "[IPv6 address]:port"; looks nothing up. `owner` says in an error's
/// sentence whose address it is: "worker 2". "cluster.address_without_port", "cluster.bad_port" or
/// "cluster.bad_host".
Result<HostPort> parseHostPort(std::string_view address, std::string_view owner);

/// "host:port", with brackets around an IPv6 address.
std::string addressText(const HostPort& address);

} // namespace cannery::cluster
