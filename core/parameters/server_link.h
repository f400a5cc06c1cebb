// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/parameters/parameters.pb.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace cannery::parameters {

/// A task's end of a connection to a parameter server. One thread, except cancel().
class ServerLink
{
public:
    ServerLink();
    ~ServerLink();
    ServerLink(const ServerLink&) = delete;
    ServerLink& operator=(const ServerLink&) = delete;

    /// Connects to "host:port" anew. False: nobody answers there; see reason().
    bool open(const std::string& address);
    void close();
    bool isOpen() const;
    /// Ends what waits. Any thread.
    void cancel();

    /// False: the connection is lost, and closed.
    bool send(wire::Request& request, std::span<const std::span<const std::byte>> payload = {});
    /// The first message of a reply.
    bool receiveReply(wire::Reply& reply);
    /// Its payload, into these targets.
    bool receive(wire::Reply& reply, std::span<const std::span<std::byte>> targets);

    /// Why the last connection was lost, as the end of a sentence.
    const std::string& reason() const { return m_reason; }

private:
    class Private;
    bool lost();
    std::unique_ptr<Private> m_private;
    std::string m_reason;
};

} // namespace cannery::parameters
