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

    static Cadence everySeconds(double value) { return {.seconds = value, .steps = {}}; }
    static Cadence everySteps(std::int64_t value) { return {.seconds = {}, .steps = value}; }
    bool isNever() const { return !seconds && !steps; }
};

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

private:
    Cadence m_cadence;
    const Clock* m_clock;
    std::optional<std::int64_t> m_lastStep;
    double m_lastTime = 0;
};

} // namespace cannery::train
