// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/collectives/message_exchange.h"

#include <gloo/rendezvous/context.h>
#include <gloo/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace cannery::collectives {

/// Messages over Gloo's connections that another thread may abort. (Gloo's own collectives cannot
/// be aborted while they wait for a peer.)
class GlooMessages : public MessageExchange
{
public:
    GlooMessages(std::shared_ptr<gloo::rendezvous::Context> context,
                 std::chrono::milliseconds timeout);

    int rank() const override { return m_context->rank; }
    int size() const override { return m_context->size; }
    void transfer(std::span<const Message> messages) override;

    /// Tells this call's messages from those of the calls before.
    void beginCall() { ++m_calls; }
    /// Nothing arrives any more.
    bool isDead() const { return m_isDead; }
    void die() { m_isDead = true; }
    /// Any thread: a transfer in progress throws soon.
    void abort() noexcept;

private:
    using Buffer = std::unique_ptr<gloo::transport::UnboundBuffer>;
    void post(const Message& message);

    std::shared_ptr<gloo::rendezvous::Context> m_context;
    std::chrono::milliseconds m_timeout;
    std::atomic<bool> m_isDead = false;
    std::uint32_t m_calls = 0; ///< so far: the same number in every rank
    std::mutex m_mutex;        ///< for what follows, while another thread may abort
    std::vector<Buffer> m_waiting;
    std::vector<bool> m_isReceiving; ///< by buffer; otherwise sending
};

} // namespace cannery::collectives
