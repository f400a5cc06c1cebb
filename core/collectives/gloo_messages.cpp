// SPDX-License-Identifier: Apache-2.0
#include "core/collectives/gloo_messages.h"

#include <gloo/rendezvous/context.h>
#include <gloo/types.h>

namespace cannery::collectives {

namespace {

/// Beside those of Gloo's own collectives.
constexpr std::uint8_t kSlotPrefix = 0x40;
/// 1 MiB/s: no network that workers are put on is slower.
constexpr std::size_t kSlowBytesPerMs = 1049;

} // namespace

GlooMessages::GlooMessages(std::shared_ptr<gloo::rendezvous::Context> context,
                           std::chrono::milliseconds timeout)
    : m_context(std::move(context)), m_rank(m_context->rank), m_size(m_context->size),
      m_timeout(timeout)
{}

GlooMessages::~GlooMessages() = default;

void GlooMessages::transfer(std::span<const Message> messages)
{
    {
        const std::lock_guard lock(m_mutex);
        // All are posted before any is waited for, so that two ranks cannot wait for each other.
        for (const Message& message : messages) {
            post(message);
        }
        // Under the lock: abort() either finds these buffers, or is seen here.
        if (m_isDead) {
            throw gloo::IoException("aborted");
        }
    }
    waitForAll();
    forgetBuffers();
}

void GlooMessages::waitForAll()
{
    std::size_t bytes = 0;
    for (const auto& buffer : m_buffers) {
        bytes += buffer->size;
    }
    for (std::size_t i = 0; i < m_buffers.size(); ++i) {
        gloo::transport::UnboundBuffer& buffer = *m_buffers[i];
        {
            const std::lock_guard lock(m_mutex);
            // Long messages take longer without anybody being stuck.
            m_waiting = {.peer = m_peers[i], .bytes = bytes, .since = Clock::now()};
        }
        const bool done =
            m_isReceiving[i] ? buffer.waitRecv(m_timeout) : buffer.waitSend(m_timeout);
        // Another thread has ended the wait.
        if (!done) {
            throw gloo::IoException("aborted");
        }
        bytes -= buffer.size;
    }
}

std::optional<int> GlooMessages::stuckWith(std::chrono::milliseconds silence) const
{
    const std::lock_guard lock(m_mutex);
    if (!m_waiting) {
        return std::nullopt;
    }
    const std::chrono::milliseconds allowed =
        silence + std::chrono::milliseconds(m_waiting->bytes / kSlowBytesPerMs);
    // The one that is waited for, who may wait for another one.
    return Clock::now() - m_waiting->since > allowed ? std::optional(m_waiting->peer)
                                                     : std::nullopt;
}

void GlooMessages::forgetBuffers()
{
    const std::lock_guard lock(m_mutex);
    m_buffers.clear();
    m_isReceiving.clear();
    m_peers.clear();
    m_waiting.reset();
}

void GlooMessages::die()
{
    m_isDead = true;
    forgetBuffers();
}

void GlooMessages::post(const Message& message)
{
    // Each call has its own slot, so that a slow rank's messages are not taken for those of the
    // next call.
    const gloo::Slot slot =
        gloo::Slot::build(kSlotPrefix, m_calls) + static_cast<std::uint8_t>(message.stage);
    if (!message.in.empty()) {
        m_buffers.push_back(m_context->createUnboundBuffer(message.in.data(), message.in.size()));
        m_isReceiving.push_back(true);
        m_peers.push_back(message.peer);
        m_buffers.back()->recv(message.peer, slot);
    }
    if (!message.out.empty()) {
        m_buffers.push_back(m_context->createUnboundBuffer(
            const_cast<std::byte*>(message.out.data()), message.out.size()));
        m_isReceiving.push_back(false);
        m_peers.push_back(message.peer);
        m_buffers.back()->send(message.peer, slot);
    }
}

void GlooMessages::abort() noexcept
{
    m_isDead = true;
    const std::lock_guard lock(m_mutex);
    for (const auto& buffer : m_buffers) {
        // Whoever waits in transfer() is woken up.
        buffer->abortWaitRecv();
        buffer->abortWaitSend();
    }
    try {
        m_context->closeConnections();
    } catch (const std::exception&) { // NOLINT(bugprone-empty-catch): closed is closed
    }
}

} // namespace cannery::collectives
