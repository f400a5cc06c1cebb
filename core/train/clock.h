// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace cannery::train {

/// Time as training sees it; tests bring their own. Safe from any thread.
class Clock
{
public:
    virtual ~Clock() = default;

    /// Seconds since 1970.
    virtual double wallTime() const = 0;
    /// Seconds since some moment, never going back: for cadences and rates.
    virtual double steadyTime() const = 0;
};

/// The machine's own clocks.
const Clock& systemClock();

} // namespace cannery::train
