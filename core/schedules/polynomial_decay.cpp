// SPDX-License-Identifier: Apache-2.0
#include "core/schedules/polynomial_decay.h"

#include "core/spec/optimizers.pb.h"

#include <algorithm>
#include <cmath>

namespace cannery::schedules {
namespace {

class PolynomialDecay : public Schedule
{
public:
    explicit PolynomialDecay(const spec::PolynomialDecay& message)
        : m_learningRate(static_cast<float>(message.learning_rate())),
          m_decaySteps(static_cast<float>(message.decay_steps())),
          m_endLearningRate(static_cast<float>(message.end_learning_rate())),
          m_power(static_cast<float>(message.power())), m_cycle(message.cycle())
    {}

    float learningRate(std::int64_t step) const override
    {
        float position = static_cast<float>(step);
        float length = m_decaySteps;
        if (m_cycle) {
            length *= step == 0 ? 1.0F : std::ceil(position / m_decaySteps);
        } else {
            position = std::min(position, length);
        }
        return (m_learningRate - m_endLearningRate) * std::pow(1.0F - position / length, m_power) +
               m_endLearningRate;
    }

private:
    float m_learningRate;
    float m_decaySteps;
    float m_endLearningRate;
    float m_power;
    bool m_cycle;
};

} // namespace

Result<std::unique_ptr<Schedule>> makePolynomialDecay(const spec::Schedule& message, std::uint64_t)
{
    return std::make_unique<PolynomialDecay>(message.polynomial_decay());
}

} // namespace cannery::schedules
