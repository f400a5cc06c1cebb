// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/thread_pool.h"
#include "kernels/ops/optimizer_step.h"

#include <cstdint>
#include <span>

namespace cannery::plan {

/// How many of the values are 0; denormal numbers are, as in a step.
std::int64_t zerosIn(kernels::ThreadPool& pool, std::span<const float> values);

/// The zeros of one variable: counted once, and then followed from step to step where each step
/// moves some rows only. Counting a large table anew would take longer than many steps on it.
class FollowedZeros
{
public:
    /// Whether a step that moves some rows only tells what it changed.
    void setFollowed(bool isFollowed)
    {
        m_isFollowed = isFollowed;
        m_isKnown = false;
    }
    /// Somebody else may have written the values.
    void forget() { m_isKnown = false; }
    /// What a step is to keep right; null: nothing.
    kernels::ZeroCount* count() { return m_isKnown ? &m_count : nullptr; }

    std::int64_t of(kernels::ThreadPool& pool, std::span<const float> values)
    {
        if (!m_isKnown) {
            m_count = zerosIn(pool, values);
            m_isKnown = m_isFollowed;
        }
        return m_count;
    }

private:
    kernels::ZeroCount m_count{0};
    bool m_isFollowed = false;
    bool m_isKnown = false;
};

} // namespace cannery::plan
