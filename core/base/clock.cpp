// SPDX-License-Identifier: Apache-2.0
#include "core/base/clock.h"

#include <chrono>

namespace cannery {
namespace {

class SystemClock : public Clock
{
public:
    double wallTime() const override
    {
        return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch())
            .count();
    }
    double steadyTime() const override
    {
        return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
            .count();
    }
};

} // namespace

const Clock& systemClock()
{
    static const SystemClock clock;
    return clock;
}

} // namespace cannery
