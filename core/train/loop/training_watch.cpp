// SPDX-License-Identifier: Apache-2.0
#include "core/train/loop/training_watch.h"

#include "core/train/loop/training_loop.h"
#include "storage/runs/run_files.h"
#include "storage/runs/run_lock.h"

#include <utility>

namespace cannery::train {
namespace {

std::optional<storage::RunStatus> statusOf(const std::string& modelDir)
{
    const Result<storage::RunStatus> status = storage::RunFiles(modelDir).readStatus();
    return status ? std::optional(*status) : std::nullopt;
}

} // namespace

TrainingWatch::TrainingWatch(std::string modelDir, std::optional<std::int64_t> maxSteps,
                             const Clock& clock)
    : m_modelDir(std::move(modelDir)), m_maxSteps(maxSteps), m_clock(&clock),
      m_first(statusOf(m_modelDir)), m_aloneSince(clock.steadyTime())
{}

/// Nobody goes on from this state.
bool TrainingWatch::isPast(const storage::RunStatus& status) const
{
    return status.state == storage::RunState::Finished ||
           (status.state == storage::RunState::Stopped && status.reason != kStoppedBySignal);
}

bool TrainingWatch::isOver()
{
    const std::optional<storage::RunStatus> status = statusOf(m_modelDir);
    if (!status || !isPast(*status)) {
        return false;
    }
    if (m_first != status) {
        return true;
    }
    const double now = m_clock->steadyTime();
    if (storage::RunLock::owner(m_modelDir)) {
        m_aloneSince = now; // it is preparing
    }
    return status->maxSteps == m_maxSteps && now - m_aloneSince >= kPatienceSeconds;
}

} // namespace cannery::train
