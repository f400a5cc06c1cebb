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
    std::int64_t keepMax = 5;         ///< 0: keep everything
    double keepEveryNHours = 10000.0; ///< one is kept for ever after so many hours of training
};

/// Which checkpoints to delete, as TensorFlow's Saver decides it: the oldest beyond `keepMax` go,
/// but one saved after the "next" mark (at first start + N hours) stays for ever and moves the mark
/// by N hours. Knows names and times only.
class CheckpointRetention
{
public:
    struct Entry
    {
        std::int64_t step = 0;
        double savedAt = 0; ///< seconds since 1970
    };

    /// `existing`: those that the state file names and that are still there, oldest first.
    CheckpointRetention(const RetentionPolicy& policy, std::vector<Entry> existing,
                        double startTime);

    /// Notes a new checkpoint (replacing one of the same step) and returns the one that is too many
    /// now, if any. That is never the new one.
    std::optional<Entry> add(const Entry& entry);
    /// Notes one that an earlier training kept for ever.
    void preserve(const Entry& entry) { m_preserved.push_back(entry); }

    /// Those that count for the state file, oldest first.
    const std::vector<Entry>& recent() const { return m_recent; }
    /// Those kept for ever by the hours.
    const std::vector<Entry>& preserved() const { return m_preserved; }

private:
    RetentionPolicy m_policy;
    std::vector<Entry> m_recent;
    std::vector<Entry> m_preserved;
    double m_nextPreserved;
};

} // namespace cannery::train
