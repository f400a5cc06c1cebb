// SPDX-License-Identifier: Apache-2.0
#include "core/coordinator/address.h"

#include <cerrno>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace cannery::coordinator {
namespace {

constexpr ErrorKind kUnknownHost{"coordinator.unknown_host", "the host \"{}\" is unknown: {}"};

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Result<Addresses> lookUp(const std::string& host, int port, int flags)
{
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    // The port is a number: no look-up in the system's services.
    hints.ai_flags = flags | AI_NUMERICSERV;
    addrinfo* found = nullptr;
    const int failure = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
    if (failure != 0) {
        return fail(ErrorCode::NotFound, kUnknownHost, host, gai_strerror(failure));
    }
    return Addresses(found, &freeaddrinfo);
}

std::string numeric(const addrinfo& entry)
{
    char host[NI_MAXHOST] = {};
    getnameinfo(entry.ai_addr, entry.ai_addrlen, host, sizeof(host), nullptr, 0, NI_NUMERICHOST);
    return host;
}

} // namespace

cluster::HostPort toListenAt(cluster::HostPort address)
{
    if (address.host == "localhost") {
        address.host = "127.0.0.1";
    } else if (!isLoopback(address.host)) {
        // All addresses of the host, of both families.
        address.host = "::";
    }
    return address;
}

bool isLoopback(const std::string& host)
{
    return host == "localhost" || host == "::1" || host.starts_with("127.");
}

Result<std::string> resolve(const cluster::HostPort& address)
{
    CANNERY_TRY_ASSIGN(const Addresses found, lookUp(address.host, address.port, 0));
    // A target has addresses of one family only.
    for (const int family : {AF_INET, AF_INET6}) {
        std::string target;
        for (const addrinfo* entry = found.get(); entry != nullptr; entry = entry->ai_next) {
            if (entry->ai_family == family) {
                target += (target.empty() ? "" : ",") +
                          cluster::addressText({numeric(*entry), address.port});
            }
        }
        if (!target.empty()) {
            return (family == AF_INET ? "ipv4:" : "ipv6:") + target;
        }
    }
    return fail(ErrorCode::NotFound, kUnknownHost, address.host, "it has no IP address");
}

int objectionToListening(const std::string& numericHost, int port)
{
    const Result<Addresses> found = lookUp(numericHost, port, AI_NUMERICHOST | AI_PASSIVE);
    // Not an address of this host.
    if (!found) {
        return EADDRNOTAVAIL;
    }
    const addrinfo& entry = **found;
    const int descriptor = socket(entry.ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) {
        return errno;
    }
    // A port that a process before has used is free.
    const int on = 1;
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    const int objection =
        bind(descriptor, entry.ai_addr, entry.ai_addrlen) == 0 && listen(descriptor, 1) == 0
            ? 0
            : errno;
    close(descriptor);
    return objection;
}

} // namespace cannery::coordinator
