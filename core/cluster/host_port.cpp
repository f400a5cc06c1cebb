// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/host_port.h"

#include <algorithm>
#include <charconv>

namespace cannery::cluster {
namespace {

constexpr ErrorKind kAddressWithoutPort{
    "cluster.address_without_port",
    "The address of {}, \"{}\", has no port. Write host:port, such as {}:2222."};
constexpr ErrorKind kBadPort{
    "cluster.bad_port",
    "The address of {}, \"{}\", has no usable port: \"{}\" is not a number from 1 to 65535."};
constexpr ErrorKind kBadHost{
    "cluster.bad_host",
    "The address of {}, \"{}\", has no usable host: write a host name, an IPv4 address, or an IPv6 "
    "address in brackets, then a colon and the port, without \"grpc://\" or spaces."};

constexpr std::size_t kLongestHost = 253; // RFC 1035, without the final dot

bool isLetterOrDigit(char character)
{
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
           (character >= '0' && character <= '9');
}

/// Underscores are no part of DNS, but of the names that container engines give.
bool isHostName(std::string_view host)
{
    return !host.empty() && host.size() <= kLongestHost && isLetterOrDigit(host.front()) &&
           std::all_of(host.begin(), host.end(), [](char character) {
               return isLetterOrDigit(character) || character == '-' || character == '.' ||
                      character == '_';
           });
}

/// Hexadecimal groups and colons, and perhaps a zone ("fe80::1%eth0"); the system's resolver
/// decides about the rest.
bool isIpv6(std::string_view host)
{
    const std::string_view address = host.substr(0, host.find('%'));
    const std::string_view zone = host.substr(address.size());
    return std::count(address.begin(), address.end(), ':') >= 2 &&
           address.find_first_not_of("0123456789abcdefABCDEF:.") == std::string_view::npos &&
           (zone.empty() || isHostName(zone.substr(1)));
}

} // namespace

Result<HostPort> parseHostPort(std::string_view address, std::string_view owner)
{
    // In brackets, as an IPv6 address has colons itself.
    const std::size_t bracket =
        address.starts_with('[') ? address.rfind(']') : std::string_view::npos;
    const bool isBracketed = bracket != std::string_view::npos;
    const std::size_t colon = isBracketed ? bracket + 1 : address.rfind(':');
    if (colon >= address.size() || address[colon] != ':') {
        return fail(ErrorCode::InvalidArgument, kAddressWithoutPort, owner, address,
                    address.empty() ? "host" : address);
    }
    const std::string_view host = address.substr(0, colon);
    // Brackets are for IPv6 only, and names have none.
    if (isBracketed ? !isIpv6(host.substr(1, host.size() - 2)) : !isHostName(host)) {
        return fail(ErrorCode::InvalidArgument, kBadHost, owner, address);
    }
    const std::string_view port = address.substr(colon + 1);
    HostPort result{std::string(isBracketed ? host.substr(1, host.size() - 2) : host), 0};
    const auto [stop, failure] =
        std::from_chars(port.data(), port.data() + port.size(), result.port);
    // Port 0 would be any.
    if (failure != std::errc() || stop != port.data() + port.size() || result.port < 1 ||
        result.port > kHighestPort) {
        return fail(ErrorCode::InvalidArgument, kBadPort, owner, address, port);
    }
    return result;
}

std::string addressText(const HostPort& address)
{
    // The text can be read by parseHostPort() again.
    return address.host.find(':') == std::string::npos
               ? fmt::format("{}:{}", address.host, address.port)
               : fmt::format("[{}]:{}", address.host, address.port);
}

} // namespace cannery::cluster
