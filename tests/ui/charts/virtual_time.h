// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/charts/repaint_clock.h"

#include <QPointer>

#include <algorithm>
#include <vector>

namespace cannery::tests {

/// A clock that stands still until a test advances it.
class VirtualTime : public ui::TimeSource
{
public:
    qint64 now() const override { return m_now; }
    void callAfter(QObject* context, int delay, std::function<void()> call) override
    {
        m_calls.push_back({m_now + delay, context, std::move(call)});
    }
    /// Advances the clock and makes the calls that fall due, in order.
    void advance(int milliseconds)
    {
        const qint64 end = m_now + milliseconds;
        while (true) {
            const auto next = std::ranges::min_element(m_calls, {}, &Call::when);
            if (next == m_calls.end() || next->when > end) {
                break;
            }
            const Call call = std::move(*next);
            m_calls.erase(next);
            m_now = std::max(m_now, call.when);
            if (call.context) {
                call.call();
            }
        }
        m_now = end;
    }

private:
    struct Call
    {
        qint64 when;
        QPointer<QObject> context;
        std::function<void()> call;
    };
    std::vector<Call> m_calls;
    qint64 m_now = 1000;
};

} // namespace cannery::tests
