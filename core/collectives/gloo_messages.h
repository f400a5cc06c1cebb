// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/collectives/message_exchange.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace gloo::rendezvous {
class Context;
}
namespace gloo::transport {
class UnboundBuffer;
}

namespace cannery::collectives {

/// Messages over Gloo's connections that another thread may abort. (Gloo's own collectives cannot
/// be aborted while they wait for a peer.)
class GlooMessages : public MessageExchange
{
public:
    GlooMessages(std::shared_ptr<gloo::rendezvous::Context> context,
                 std::chrono::milliseconds timeout);
    ~GlooMessages() override;

    int rank() const override { return m_rank; }
    int size() const override { return m_size; }
    void transfer(std::span<const Message> messages) override;

    /// Tells this call's messages from those of the calls before.
    void beginCall() { ++m_calls; }
    /// Nothing arrives any more.
    bool isDead() const { return m_isDead; }
    /// After a failed call, from its thread: Gloo touches no memory of the caller any more.
    void die();
    /// Any thread: a transfer in progress throws soon.
    void abort() noexcept;
    /// See Communicator.
    std::optional<int> stuckWith(std::chrono::milliseconds silence) const;

private:
    using Buffer = std::unique_ptr<gloo::transport::UnboundBuffer>;
    using Clock = std::chrono::steady_clock;
    /// What a transfer waits for at the moment.
    struct Waiting
    {
        int peer = 0;
        std::size_t bytes = 0; ///< of all messages that have not been waited for yet
        Clock::time_point since;
    };
    void waitForAll();
    void forgetBuffers();
    void post(const Message& message);

    std::shared_ptr<gloo::rendezvous::Context> m_context;
    int m_rank;
    int m_size;
    std::chrono::milliseconds m_timeout;
    std::atomic<bool> m_isDead = false;
    std::uint32_t m_calls = 0;  ///< so far: the same number in every rank
    mutable std::mutex m_mutex; ///< for what follows, while another thread may abort
    std::vector<Buffer> m_buffers;
    std::vector<bool> m_isReceiving; ///< by buffer; otherwise sending
    std::vector<int> m_peers;        ///< by buffer
    std::optional<Waiting> m_waiting;
};

} // namespace cannery::collectives
