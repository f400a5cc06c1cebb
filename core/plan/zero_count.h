// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/thread_pool.h"
#include "kernels/ops/optimizer_step.h"

#include <cstdint>

namespace cannery::plan {

/// How many of the values are 0, including denormal numbers, as in a step.
std::int64_t zerosIn(kernels::ThreadPool& pool, kernels::ConstMatrixView values);

/// The zeros of one variable: counted once, then updated from step to step if each step changes
/// only some rows. Recounting a large table would take longer than many steps on it.
class FollowedZeros
{
public:
    /// Whether a step that changes only some rows reports its changes.
    void setFollowed(bool isFollowed)
    {
        m_isFollowed = isFollowed;
        m_isKnown = false;
    }
    /// The values may have been written from outside.
    void forget() { m_isKnown = false; }
    /// The count that a step must maintain; null: none.
    kernels::ZeroCount* count() { return m_isKnown ? &m_count : nullptr; }

    std::int64_t of(kernels::ThreadPool& pool, kernels::ConstMatrixView values)
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
