// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <optional>

namespace cannery::strategies {

/// When a task of a cluster stops waiting for the others: when it was told to stop, or when they
/// have not come in time at first. look() and the rest on one thread; mustEnd() on any.
class StartLimit
{
public:
    /// `stop` may be null.
    explicit StartLimit(const std::atomic<bool>* stop) : m_stop(stop) {}

    /// They may take this long from now on, unless they have been there once.
    void begin(double seconds);
    /// They are there.
    void reached();
    /// Whether they have not come in time.
    bool isLate() const { return m_isLate; }

    void look();
    /// As of the last look().
    const std::atomic<bool>& mustEnd() const { return m_mustEnd; }

private:
    const std::atomic<bool>* m_stop;
    std::optional<std::chrono::steady_clock::time_point> m_before;
    bool m_isReached = false;
    bool m_isLate = false;
    std::atomic<bool> m_mustEnd = false;
};

} // namespace cannery::strategies
