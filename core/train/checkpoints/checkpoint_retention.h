// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/runs/run_record.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cannery::train {

struct RetentionPolicy
{
    std::int64_t keepMax = 5;         ///< keep all if 0
    double keepEveryNHours = 10000.0; ///< one is kept permanently after this many hours of training
};

/// Which checkpoints to delete, by the rules of TensorFlow's Saver: the oldest beyond `keepMax` are
/// deleted, except that one saved after the "next" mark (at first start + N hours) is kept
/// permanently and moves the mark by N hours. Knows names and times only.
class CheckpointRetention
{
public:
    struct Entry
    {
        std::int64_t step = 0;
        double savedAt = 0; ///< seconds since 1970
    };

    /// `existing`: those that the state file names and that still exist, oldest first.
    CheckpointRetention(const RetentionPolicy& policy, std::vector<Entry> existing,
                        double startTime);

    /// Adds a new checkpoint (replacing one of the same step) and returns the one to delete, if
    /// any. That is never the new one.
    std::optional<Entry> add(const Entry& entry);
    /// Adds one that an earlier training kept permanently.
    void preserve(const Entry& entry) { m_preserved.push_back(entry); }

    /// Those listed in the state file, oldest first.
    const std::vector<Entry>& recent() const { return m_recent; }
    /// Those kept permanently by the hours.
    const std::vector<Entry>& preserved() const { return m_preserved; }

private:
    RetentionPolicy m_policy;
    std::vector<Entry> m_recent;
    std::vector<Entry> m_preserved;
    double m_nextPreserved;
};

} // namespace cannery::train
