// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "storage/runs/run_record.h"

#include <cstdint>
#include <optional>
#include <string>

namespace cannery::train {

/// Whether a training in another process, perhaps on another machine, still goes on, by the records
/// in its folder. One thread.
class TrainingWatch
{
public:
    /// How long nobody may train in a folder whose records were over from the beginning.
    static constexpr double kPatienceSeconds = 60;

    TrainingWatch(std::string modelDir, std::optional<std::int64_t> maxSteps, const Clock& clock);

    /// The training is finished, or was stopped on request. What the folder said when this object
    /// was made may be about an earlier training, so it counts only if nobody begins another one. A
    /// training that failed, or was stopped by a signal, may be started again: it is not over.
    bool isOver();

private:
    bool isPast(const storage::RunStatus& status) const;

    std::string m_modelDir;
    std::optional<std::int64_t> m_maxSteps;
    const Clock* m_clock;
    std::optional<storage::RunStatus> m_first;
    double m_aloneSince;
};

} // namespace cannery::train
