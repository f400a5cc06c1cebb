// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"

#include <cstdint>
#include <optional>

namespace cannery::train {

/// Every so many seconds, or every so many steps, or never.
struct Cadence
{
    std::optional<double> seconds;
    std::optional<std::int64_t> steps;
    bool thins = false; ///< fires less often the longer training lasts: thinnedSteps()

    static Cadence everySeconds(double value) { return {.seconds = value, .steps = {}}; }
    static Cadence everySteps(std::int64_t value) { return {.seconds = {}, .steps = value}; }
    /// For summaries and log lines: at the given interval for as long as an ordinary run lasts,
    /// then less often.
    static Cadence thinningSteps(std::int64_t value)
    {
        return {.seconds = {}, .steps = value, .thins = true};
    }
    bool isNever() const { return !seconds && !steps; }
};

/// How often a thinning cadence fires at its given interval before it thins out.
inline constexpr std::int64_t kTimesBeforeThinning = 5000;

/// Interval in steps of a thinning cadence at a step: `every` for the first 5,000 times, twice that
/// up to 10,000 times, four times that up to 20,000 times and so on. Each doubling of the steps
/// adds 2,500 times, so a run of any length needs bounded disk space; the rule depends only on the
/// step, so a resumed run continues as it would have.
std::int64_t thinnedSteps(std::int64_t every, std::int64_t step);

/// TensorFlow's SecondOrStepTimer: due at its first query, never twice at the same step, otherwise
/// once the seconds or steps since the last time have passed. One thread.
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
    /// Marks a step as done; returns what has passed since the previous one, if any.
    std::optional<Elapsed> mark(std::int64_t step);
    std::optional<std::int64_t> lastStep() const { return m_lastStep; }
    /// From a firing at this step to the next.
    std::int64_t stepsAfter(std::int64_t step) const;
    /// From this step until it is due, at least 1; the largest number if steps do not make it due.
    std::int64_t stepsUntilDue(std::int64_t step) const;

private:
    Cadence m_cadence;
    const Clock* m_clock;
    std::optional<std::int64_t> m_lastStep;
    double m_lastTime = 0;
};

} // namespace cannery::train
