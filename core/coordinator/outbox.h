// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <mutex>
#include <utility>

namespace cannery::coordinator {

/// The messages that wait to be written to a stream that accepts one write at a time. Every
/// function that changes it says what its caller must do next, without any lock. Any thread.
template <typename Message>
class Outbox
{
public:
    enum class Next
    {
        Nothing,
        Write,  ///< current(), then call written()
        Finish, ///< the stream; said once, when nothing is being written
    };
    enum class Rest
    {
        Deliver,
        Drop,
    };

    /// Ignored once closed.
    Next put(Message message)
    {
        const std::lock_guard lock(m_mutex);
        if (m_isClosed) {
            return Next::Nothing;
        }
        m_messages.push_back(std::move(message));
        return next();
    }

    /// The current message has been written, or cannot be: then no other can.
    Next written(bool isDelivered)
    {
        const std::lock_guard lock(m_mutex);
        m_isWriting = false;
        m_messages.pop_front();
        if (!isDelivered) {
            m_messages.clear();
        }
        return next();
    }

    /// Accepts no more; the stream ends after the rest has been written or dropped.
    Next close(Rest rest)
    {
        const std::lock_guard lock(m_mutex);
        m_isClosed = true;
        if (rest == Rest::Drop) {
            m_messages.resize(m_isWriting ? 1 : 0);
        }
        return next();
    }

    /// Valid until written() is called.
    const Message* current() const
    {
        const std::lock_guard lock(m_mutex);
        return &m_messages.front();
    }

private:
    Next next()
    {
        if (m_isWriting || m_isFinished) {
            return Next::Nothing;
        }
        if (!m_messages.empty()) {
            m_isWriting = true;
            return Next::Write;
        }
        m_isFinished = m_isClosed;
        return m_isClosed ? Next::Finish : Next::Nothing;
    }

    mutable std::mutex m_mutex;
    std::deque<Message> m_messages; ///< the first is being written if m_isWriting
    bool m_isWriting = false;
    bool m_isClosed = false;
    bool m_isFinished = false;
};

} // namespace cannery::coordinator
