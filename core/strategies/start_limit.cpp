// SPDX-License-Identifier: Apache-2.0
#include "core/strategies/start_limit.h"

#include <cstdint>

namespace cannery::strategies {

void StartLimit::begin(double seconds)
{
    if (!m_isReached) {
        m_before = std::chrono::steady_clock::now() +
                   std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
    }
}

void StartLimit::reached()
{
    m_isReached = true;
    m_before.reset();
}

void StartLimit::look()
{
    m_isLate = m_isLate || (m_before && std::chrono::steady_clock::now() > *m_before);
    if (m_isLate || (m_stop != nullptr && m_stop->load())) {
        m_mustEnd = true;
    }
}

} // namespace cannery::strategies
