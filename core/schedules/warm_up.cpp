// SPDX-License-Identifier: Apache-2.0
#include "core/schedules/warm_up.h"

#include <utility>

namespace cannery::schedules {
namespace {

class WarmUp : public Schedule
{
public:
    WarmUp(std::unique_ptr<Schedule> schedule, std::int64_t steps, float start)
        : m_schedule(std::move(schedule)), m_steps(steps), m_start(start)
    {}

    float learningRate(std::int64_t step) const override
    {
        if (step >= m_steps) {
            return m_schedule->learningRate(step - m_steps);
        }
        const float passed = static_cast<float>(step) / static_cast<float>(m_steps);
        return (m_schedule->learningRate(0) - m_start) * passed + m_start;
    }

private:
    std::unique_ptr<Schedule> m_schedule;
    std::int64_t m_steps;
    float m_start;
};

} // namespace

std::unique_ptr<Schedule> warmUp(std::unique_ptr<Schedule> schedule, std::int64_t steps,
                                 float start)
{
    return std::make_unique<WarmUp>(std::move(schedule), steps, start);
}

} // namespace cannery::schedules
