// SPDX-License-Identifier: Apache-2.0
#include "core/train/checkpoints/checkpoint_retention.h"

#include <algorithm>

namespace cannery::train {
namespace {

constexpr double kSecondsPerHour = 3600.0;

} // namespace

CheckpointRetention::CheckpointRetention(const RetentionPolicy& policy, std::vector<Entry> existing,
                                         double startTime)
    : m_policy(policy), m_recent(std::move(existing)),
      m_nextPreserved(startTime + policy.keepEveryNHours * kSecondsPerHour)
{}

std::optional<CheckpointRetention::Entry> CheckpointRetention::add(const Entry& entry)
{
    std::erase_if(m_recent, [&](const Entry& old) { return old.step == entry.step; });
    m_recent.push_back(entry);
    if (m_policy.keepMax <= 0 || static_cast<std::int64_t>(m_recent.size()) <= m_policy.keepMax) {
        return std::nullopt;
    }
    const Entry oldest = m_recent.front();
    m_recent.erase(m_recent.begin());
    if (oldest.savedAt > m_nextPreserved) {
        m_nextPreserved += m_policy.keepEveryNHours * kSecondsPerHour;
        m_preserved.push_back(oldest);
        return std::nullopt;
    }
    return oldest;
}

} // namespace cannery::train
