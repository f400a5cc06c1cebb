// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/train/clock.h"

#include <cstdint>
#include <optional>

namespace cannery::train {

/// Every so many seconds, or every so many steps, or never.
struct Cadence
{
    std::optional<double> seconds;
    std::optional<std::int64_t> steps;
    bool thins = false; ///< the longer it has lasted, the rarer: thinnedSteps()

    static Cadence everySeconds(double value) { return {.seconds = value, .steps = {}}; }
    static Cadence everySteps(std::int64_t value) { return {.seconds = {}, .steps = value}; }
    /// Of summaries and log lines: as given for so many times as any ordinary run has, then rarer.
    static Cadence thinningSteps(std::int64_t value)
    {
        return {.seconds = {}, .steps = value, .thins = true};
    }
    bool isNever() const { return !seconds && !steps; }
};

/// How often a thinning cadence comes at its given interval, before it thins out.
inline constexpr std::int64_t kTimesBeforeThinning = 5000;

/// Steps between two times of a thinning cadence at a step: `every` up to 5,000 times that, twice
/// as many up to 10,000 times, four times as many up to 20,000 times and so on. Each doubling of
/// the steps adds 2,500 times, so that a run of any length fills a bounded disk; the rule knows the
/// step alone, so that a run that is resumed goes on as it would have.
std::int64_t thinnedSteps(std::int64_t every, std::int64_t step);

/// TensorFlow's SecondOrStepTimer: due at its first query, never twice at the same step, otherwise
/// when the seconds or the steps since the last time are over. One thread.
class SecondOrStepTimer
{
public:
    SecondOrStepTimer(const Cadence& cadence, const Clock& clock);

    bool isDue(std::int64_t step) const;

    struct Elapsed
    {
        double seconds = 0;
        std::int64_t steps = 0;
    };
    /// Marks a step as done; what has passed since the one before, if there was one.
    std::optional<Elapsed> mark(std::int64_t step);
    std::optional<std::int64_t> lastStep() const { return m_lastStep; }
    /// From a time at this step to the next.
    std::int64_t stepsAfter(std::int64_t step) const;

private:
    Cadence m_cadence;
    const Clock* m_clock;
    std::optional<std::int64_t> m_lastStep;
    double m_lastTime = 0;
};

} // namespace cannery::train
