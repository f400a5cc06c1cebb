// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace cannery::collectives {

/// One message to a peer, one from it, or both at once; empty ones are not sent.
struct Message
{
    int peer = 0;
    int stage = 0; ///< distinguishes the messages of one call between the same two ranks
    std::span<const std::byte> out = {};
    std::span<std::byte> in = {};
};

/// What collectives consist of: messages between the ranks of a group. Functions throw if a peer is
/// lost.
class MessageExchange
{
public:
    virtual ~MessageExchange() = default;

    virtual int rank() const = 0;
    virtual int size() const = 0;
    /// Returns when all messages are sent and received.
    virtual void transfer(std::span<const Message> messages) = 0;
};

} // namespace cannery::collectives
