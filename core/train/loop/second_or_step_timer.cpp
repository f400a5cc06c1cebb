// SPDX-License-Identifier: Apache-2.0
#include "core/train/loop/second_or_step_timer.h"

#include <algorithm>
#include <limits>

namespace cannery::train {

std::int64_t thinnedSteps(std::int64_t every, std::int64_t step)
{
    std::int64_t interval = every;
    // By division, so neither limit nor interval may overflow.
    for (std::int64_t times = step / every / kTimesBeforeThinning; times > 0; times /= 2) {
        interval *= 2;
    }
    return interval;
}

SecondOrStepTimer::SecondOrStepTimer(const Cadence& cadence, const Clock& clock)
    : m_cadence(cadence), m_clock(&clock)
{}

bool SecondOrStepTimer::isDue(std::int64_t step) const
{
    if (m_cadence.isNever()) {
        return false;
    }
    if (!m_lastStep) {
        return true;
    }
    if (*m_lastStep == step) {
        return false;
    }
    return (m_cadence.seconds && m_clock->steadyTime() >= m_lastTime + *m_cadence.seconds) ||
           (m_cadence.steps && step - *m_lastStep >= stepsAfter(*m_lastStep));
}

std::int64_t SecondOrStepTimer::stepsAfter(std::int64_t step) const
{
    return m_cadence.thins ? thinnedSteps(*m_cadence.steps, step) : *m_cadence.steps;
}

std::int64_t SecondOrStepTimer::stepsUntilDue(std::int64_t step) const
{
    if (!m_cadence.isNever() && !m_lastStep) {
        return 1;
    }
    if (!m_cadence.steps) {
        return std::numeric_limits<std::int64_t>::max();
    }
    return std::max<std::int64_t>(1, stepsAfter(*m_lastStep) - (step - *m_lastStep));
}

std::optional<SecondOrStepTimer::Elapsed> SecondOrStepTimer::mark(std::int64_t step)
{
    const double now = m_clock->steadyTime();
    std::optional<Elapsed> elapsed;
    if (m_lastStep) {
        elapsed = Elapsed{.seconds = now - m_lastTime, .steps = step - *m_lastStep};
    }
    m_lastStep = step;
    m_lastTime = now;
    return elapsed;
}

} // namespace cannery::train
