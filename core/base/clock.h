// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace cannery {

/// Time as programs see it; tests substitute their own. Thread-safe.
class Clock
{
public:
    virtual ~Clock() = default;

    /// Seconds since 1970.
    virtual double wallTime() const = 0;
    /// Seconds since some moment, monotonic: for cadences and rates.
    virtual double steadyTime() const = 0;
};

/// The machine's own clocks.
const Clock& systemClock();

} // namespace cannery
