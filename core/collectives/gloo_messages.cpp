// SPDX-License-Identifier: Apache-2.0
#include "core/collectives/gloo_messages.h"

#include <gloo/rendezvous/context.h>
#include <gloo/types.h>

namespace cannery::collectives {

namespace {

/// Beside those of Gloo's own collectives.
constexpr std::uint8_t kSlotPrefix = 0x40;

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
        for (const Message& message : messages) {
            post(message);
        }
        if (m_isDead) {
            throw gloo::IoException("aborted");
        }
    }
    for (std::size_t i = 0; i < m_waiting.size(); ++i) {
        gloo::transport::UnboundBuffer& buffer = *m_waiting[i];
        const bool done =
            m_isReceiving[i] ? buffer.waitRecv(m_timeout) : buffer.waitSend(m_timeout);
        if (!done) {
            throw gloo::IoException("aborted");
        }
    }
    forgetBuffers();
}

void GlooMessages::forgetBuffers()
{
    const std::lock_guard lock(m_mutex);
    m_waiting.clear();
    m_isReceiving.clear();
}

void GlooMessages::die()
{
    m_isDead = true;
    forgetBuffers();
}

void GlooMessages::post(const Message& message)
{
    const gloo::Slot slot =
        gloo::Slot::build(kSlotPrefix, m_calls) + static_cast<std::uint8_t>(message.stage);
    if (!message.in.empty()) {
        m_waiting.push_back(m_context->createUnboundBuffer(message.in.data(), message.in.size()));
        m_isReceiving.push_back(true);
        m_waiting.back()->recv(message.peer, slot);
    }
    if (!message.out.empty()) {
        m_waiting.push_back(m_context->createUnboundBuffer(
            const_cast<std::byte*>(message.out.data()), message.out.size()));
        m_isReceiving.push_back(false);
        m_waiting.back()->send(message.peer, slot);
    }
}

void GlooMessages::abort() noexcept
{
    m_isDead = true;
    const std::lock_guard lock(m_mutex);
    for (const auto& buffer : m_waiting) {
        buffer->abortWaitRecv();
        buffer->abortWaitSend();
    }
    try {
        m_context->closeConnections();
    } catch (const std::exception&) { // NOLINT(bugprone-empty-catch): closed is closed
    }
}

} // namespace cannery::collectives
